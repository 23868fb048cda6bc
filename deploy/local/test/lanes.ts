/**
 * Runs all of `chunks`, so many at a time as there are lanes, each lane the next one that waits.
 * Those that are apart wait for the first lane, which begins with them: at most one of them runs
 * at any time.
 */
export async function runInLanes<C extends { apart?: boolean }, R>(
  chunks: readonly C[],
  lanes: number,
  run: (chunk: C, index: number) => Promise<R>,
  signal: AbortSignal,
): Promise<R[]> {
  const indexed = chunks.map((chunk, index) => ({ chunk, index }));
  const apart = indexed.filter(({ chunk }) => chunk.apart);
  const others = indexed.filter(({ chunk }) => !chunk.apart);
  const results: R[] = [];
  const lane = async (_: unknown, number: number) => {
    const next = () => (number === 0 ? apart.shift() : undefined) ?? others.shift();
    for (let waiting = next(); waiting && !signal.aborted; waiting = next()) {
      results.push(await run(waiting.chunk, waiting.index));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

/** Files that one process runs. */
export type Chunk = {
  files: readonly string[];
  /** In the lane of those that would make others late, or are late beside others. */
  apart?: boolean;
};

/**
 * Files in the order given, as many in a chunk as take `most` seconds together, so that neighbours
 * share what they load and no lane is left with a long rest at the end. Those of one folder in
 * `together` are one chunk: they share a system. The longest begin first.
 */
export function chunksOf(
  files: readonly string[],
  options: {
    secondsOf: (file: string) => number;
    most: number;
    together?: readonly string[];
    isApart?: (file: string) => boolean;
  },
): Chunk[] {
  const { secondsOf, most, together = [], isApart = () => false } = options;
  const open = new Map<string, Sized>();
  const all: Sized[] = [];
  for (const file of files) {
    const folder = together.find((name) => file.startsWith(`${name}/`));
    const apart = isApart(file);
    const kind = folder ?? String(apart);
    const seconds = secondsOf(file);
    const last = open.get(kind);
    const fits = last && (folder !== undefined || last.seconds + seconds <= most);
    const chunk = fits ? last : { files: [], apart, seconds: 0 };
    if (!fits) all.push(chunk);
    chunk.files.push(file);
    chunk.seconds += seconds;
    open.set(kind, chunk);
  }
  return all
    .sort((a, b) => b.seconds - a.seconds)
    .map(({ files: inIt, apart }) => ({ files: inIt, apart }));
}

type Sized = { files: string[]; apart: boolean; seconds: number };

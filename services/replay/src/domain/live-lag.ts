/** End of each partition, and what the live attribution has committed, at one moment. */
export type LagSample = {
  atMs: number;
  ends: ReadonlyMap<string, bigint>;
  committed: ReadonlyMap<string, bigint>;
};

/**
 * Whether a replay should stand still so that the live attribution gets the machine: it is behind
 * by more than `limit` facts, and it moves. One that stands still is not held up by a replay, and
 * the replay may be what brings it back.
 *
 * Commits are up to a second old, so they are compared with the ends as they were before that:
 * under a steady load of any rate one that keeps up is not behind.
 */
export function createLagEvaluator(options: {
  limit: number;
  commitMs?: number;
  stillMs?: number;
}) {
  const { limit, commitMs = 1_500, stillMs = 10_000 } = options;
  let samples: LagSample[] = [];
  let movedAtMs = -Infinity;

  return function evaluate(sample: LagSample): { lag: number; yields: boolean } {
    const before = samples.at(-1);
    if (before && hasMoved(before, sample)) movedAtMs = sample.atMs;
    samples.push(sample);
    const old = samples.filter(({ atMs }) => atMs <= sample.atMs - commitMs);
    const base = old.at(-1);
    // Older ones than the base are not asked for again.
    if (base) samples = samples.slice(samples.indexOf(base));
    const lag = base ? behind(base.ends, sample.committed) : 0;
    return { lag, yields: lag > limit && sample.atMs - movedAtMs < stillMs };
  };
}

/** A group that has committed nothing for a partition has not begun it, or there is none. */
function behind(ends: LagSample['ends'], committed: LagSample['committed']): number {
  let sum = 0n;
  for (const [partition, end] of ends) {
    const next = committed.get(partition);
    if (next !== undefined && end > next) sum += end - next;
  }
  return Number(sum);
}

function hasMoved(before: LagSample, now: LagSample): boolean {
  return [...now.committed].some(
    ([partition, next]) => next > (before.committed.get(partition) ?? 0n),
  );
}

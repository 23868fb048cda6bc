import type { DueAmong } from '../db/recipients.ts';
import type { ReleaseOutcome } from './release-due.ts';

/**
 * Releases for the recipients whom this process folds, and not while it does: the two would wait
 * for each other's rows (decision 41). Every few seconds for anybody who is due, whoever folds
 * them: the holder of a partition may be busy with it without a pause, still be reading the log, or
 * release nothing because of its clock.
 */
export function createReleaseInTurn(options: {
  release: (among: DueAmong) => Promise<ReleaseOutcome>;
  /** Runs with the partitions of which no batch is being applied; undefined where there is none. */
  betweenBatches: (
    work: (partitions: readonly number[]) => Promise<ReleaseOutcome>,
  ) => Promise<ReleaseOutcome | undefined>;
  anybodyEveryMs?: number;
}): () => Promise<ReleaseOutcome> {
  const { release, betweenBatches, anybodyEveryMs = 5_000 } = options;
  let anybodyAtMs = performance.now() + anybodyEveryMs;

  return async function releaseInTurn() {
    if (performance.now() < anybodyAtMs) {
      return (
        (await betweenBatches((partitions) => release({ partitions }))) ?? {
          outcome: 'nothing-due',
        }
      );
    }
    const result = await release({ forMs: anybodyEveryMs });
    // Where others leave many behind, they are paid in one go.
    const hasMore = result.outcome === 'released' && result.hasMore;
    if (!hasMore) anybodyAtMs = performance.now() + anybodyEveryMs;
    return result;
  };
}

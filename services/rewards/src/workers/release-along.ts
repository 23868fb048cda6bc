import type { Incoming } from '@tributary/event-log/projection';
import { holdLiveGeneration, readLiveGeneration } from '@tributary/generations/registry';
import type { Logger } from '@tributary/runtime/logger';
import { afterCommit, inOneTurn, type Tx } from '@tributary/runtime/postgres';
import type { ReleaseDue } from './release-due.ts';

/**
 * What a fold makes due is released behind it in the same transaction (decision 61): one commit
 * and one turn fewer on the way to the webhook. It is for speed alone: what is not released here
 * the worker finds, so a release that fails takes no fold along, but for one repetition.
 *
 *   live generation held ──▶ fold ──▶ what is due of its partitions ──▶ commit
 *         └─ another one is live: fold alone
 */
export type ReleaseAlong = (
  tx: Tx,
  batch: readonly Incoming[],
  fold: () => Promise<void>,
) => Promise<void>;

/** After a failure: the worker tries recipients one by one, and postpones the one to blame. */
const pauseMs = 60_000;

export function createReleaseAlong(options: {
  logger: Logger;
  generation: number;
  releaseDue: ReleaseDue;
  /** The worker releases: the log was read, and this generation was live. */
  isReleasing: () => boolean;
  /** The worker is to look. */
  wake: () => void;
}): ReleaseAlong {
  const { logger, generation, releaseDue, isReleasing, wake } = options;
  let pausedUntilMs = 0;

  return async function foldAndRelease(tx, batch, fold) {
    const may = isReleasing() && performance.now() >= pausedUntilMs;
    // Before the fold's locks, as in every release: see fold-facts.ts.
    const wasLive = may && (await readLiveGeneration(tx)) === generation;
    const [isLive] = await inOneTurn([wasLive && holdLiveGeneration(tx, generation), fold()]);
    const isAllReleased = isLive && (await release(tx, batch));
    if (!isAllReleased) afterCommit(tx, wake);
  };

  async function release(tx: Tx, batch: readonly Incoming[]): Promise<boolean> {
    const partitions = [...new Set(batch.map(({ partition }) => partition))];
    try {
      const result = await releaseDue(tx, { along: true, among: { partitions } });
      if (result.outcome === 'released') return !result.hasMore;
      return result.outcome === 'nothing-due';
    } catch (error) {
      pausedUntilMs = performance.now() + pauseMs;
      logger.warn('a release behind a fold failed; for a minute folds go without', { error });
      throw error;
    }
  }
}

import { findGeneration, readLiveGeneration } from '@tributary/generations/registry';
import type { Logger } from '@tributary/runtime/logger';
import { createRepeater, type Repeater } from '@tributary/runtime/repeater';
import type pg from 'pg';
import { hasRecoveryFailed } from '../db/count-jobs.ts';
import { insertJob } from '../db/job-rows.ts';

/**
 * Asks for the recovery of a live generation as soon as a fold has found it lost. Any number of
 * replicas may look; a unique index lets one such job be open at a time, so asking again is
 * harmless. One that failed is asked for again after a pause.
 */
export function createRecovery(options: {
  /** Finds names in the schema of this service, and in that of generations. */
  pool: pg.Pool;
  /** Makes the tables of both anew when the database was dropped under this process. */
  remake: () => Promise<void>;
  newJobId: () => string;
  onAsked: () => void;
  logger: Logger;
  everyMs?: number;
  pauseMs?: number;
}): Repeater {
  const { pool, remake, newJobId, onAsked, logger } = options;
  const { everyMs = 2_000, pauseMs = 60_000 } = options;
  let trouble: string | undefined;

  async function look(): Promise<void> {
    const live = await findGeneration(pool, await readLiveGeneration(pool));
    if (live?.status !== 'lost' || (await hasRecoveryFailed(pool, pauseMs))) return;
    const job = await insertJob(pool, {
      jobId: newJobId(),
      kind: 'rebuild',
      params: { recover: true },
      by: 'replay',
    });
    if (!job) return;
    logger.error('alert: the live generation is lost; the next one is being built', {
      generation: live.number,
      jobId: job.jobId,
    });
    onAsked();
  }

  return createRepeater({
    everyMs,
    work: async () => {
      try {
        await look();
        trouble = undefined;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        if (message !== trouble) {
          logger.warn('cannot see whether the live generation is lost', { error });
        }
        trouble = message;
        if (isGone(error)) await remake().catch(() => undefined);
      }
    },
  });
}

/** Undefined table or schema. */
function isGone(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === '42P01' || code === '3F000';
}

import { createRepeater } from '@tributary/runtime/repeater';
import type { Logger } from '@tributary/runtime/logger';
import type pg from 'pg';
import type { ReplaySettings } from '../settings.ts';
import { createJobDirs } from './job-dirs.ts';
import { listOpenJobs, takeJob } from '../db/job-rows.ts';
import type { JobEnded } from '../db/job-rows.ts';
import { createRunJob } from './run-job.ts';
import { type RunnerLock, takeRunnerLock } from '../db/runner-lock.ts';

/**
 * Runs what is asked for, one job at a time over all replicas: the one with the lock takes the next
 * job, and what was interrupted comes before what waits. It goes on until the job is done, failed
 * or cancelled; when this process dies the lock is free, and another replica takes the job up
 * again.
 */
export type JobRunner = {
  start(): Promise<void>;
  /** There may be something new. */
  wake(): void;
  /** The job under way is interrupted; whoever comes next goes on. */
  stop(): Promise<void>;
  health(): { ok: boolean; detail?: string };
};

export function createJobRunner(options: {
  pool: pg.Pool;
  settings: ReplaySettings;
  logger: Logger;
  kindsUrl: string;
  onEnded?: ((ended: JobEnded) => void) | undefined;
  pollMs?: number;
}): JobRunner {
  const { pool, settings, logger, kindsUrl, onEnded, pollMs = 1_000 } = options;
  const stopping = new AbortController();
  const dirs = createJobDirs(settings.dir);
  const runJob = createRunJob({ pool, settings, logger, kindsUrl, dirs, onEnded });
  let lock: RunnerLock | undefined;
  let trouble: string | undefined;

  async function work(): Promise<void> {
    try {
      if (lock?.lost.aborted) lock = undefined;
      lock ??= await takeRunnerLock(settings.postgres);
      while (lock && !lock.lost.aborted && !stopping.signal.aborted) {
        const job = await takeJob(pool);
        if (!job) break;
        await runJob(job, { lost: lock.lost, stopping: stopping.signal });
      }
      trouble = undefined;
    } catch (error) {
      trouble = (error as Error).message;
      logger.warn('cannot look for jobs; trying again', { error });
    }
  }
  const repeater = createRepeater({ everyMs: pollMs, work });

  return {
    async start() {
      await dirs.sweep(() => listOpenJobs(pool));
      repeater.start();
    },
    wake: () => repeater.wake(),
    async stop() {
      stopping.abort();
      await repeater.stop();
      await lock?.release();
    },
    health: () => (trouble === undefined ? { ok: true } : { ok: false, detail: trouble }),
  };
}

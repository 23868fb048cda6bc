import type { Logger } from '@tributary/runtime/logger';
import type pg from 'pg';
import type { JobContext } from '../commands/job-kind.ts';
import type { Progress } from '@tributary/contracts/admin/replay-answers';
import { type Attempt, writeNote, writeProgress } from '../db/job-rows.ts';

/** What the job's code is given; `end` writes the last progress. */
export type OwnedJobContext = JobContext & { end(): Promise<void> };

export function createJobContext(options: {
  pool: pg.Pool;
  logger: Logger;
  job: Attempt;
  dir: string;
  signal: AbortSignal;
  everyMs?: number;
}): OwnedJobContext {
  const { pool, logger, job, dir, signal, everyMs = 500 } = options;
  let latest: Progress | undefined;
  let writing: Promise<void> | undefined;
  let ended = false;

  /**
   * One statement at a time, and only the newest progress; what cannot be written is told later.
   */
  async function write(): Promise<void> {
    while (latest !== undefined && !ended) {
      const progress = latest;
      latest = undefined;
      await writeProgress(pool, job, progress).catch((error: unknown) =>
        logger.warn('progress not written', { error }),
      );
      await new Promise((resolve) => setTimeout(resolve, everyMs).unref());
    }
  }

  return {
    jobId: job.jobId,
    attempt: job.attempt,
    dir,
    signal,
    logger,
    progress(progress) {
      latest = progress;
      writing ??= write().finally(() => (writing = undefined));
    },
    async note(line) {
      logger.info(line);
      await writeNote(pool, job, line);
    },
    async end() {
      ended = true;
      if (latest !== undefined) await writeProgress(pool, job, latest).catch(() => undefined);
    },
  };
}

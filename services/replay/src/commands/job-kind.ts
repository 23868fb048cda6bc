import type { Logger } from '@tributary/runtime/logger';
import type { Progress } from '@tributary/contracts/admin/replay-answers';

/** What a running job may use. */
export type JobContext = {
  jobId: string;
  /**
   * Counts up each time the job is taken up; rows that it writes are fenced by `holdAttempt` of
   * job-rows.ts.
   */
  attempt: number;
  /**
   * Belongs to this job alone. What an earlier, killed run left there is still there on the same
   * machine.
   */
  dir: string;
  /** Aborted when the job is cancelled or the service stops; the job then throws. */
  signal: AbortSignal;
  logger: Logger;
  /** May be called at any rate; written now and then. */
  progress(progress: Progress): void;
  /** A line of the job's history, kept for ever. */
  note(line: string): Promise<void>;
};

/**
 * A kind of job. `run` may be killed at any moment and is then called again with the same
 * parameters, in another process: it must find out what is done already. The same happens when it
 * throws an error that passes (`isTransientPostgresError`, or a member `retryable: true`); any
 * other error ends the job.
 */
export type JobKind<Params = unknown, Result = unknown> = {
  name: string;
  /** @throws with a sentence for the operator; the job is then `failed`. */
  run(context: JobContext, params: Params): Promise<Result>;
  /**
   * Removes what a failed or cancelled job left outside its directory; not called for one that is
   * done. May find nothing, or half of it, and may be called again.
   */
  cleanUp?(context: Pick<JobContext, 'jobId' | 'logger'>, params: Params): Promise<void>;
};

/** The job cannot be done as asked, and would not be by trying again. */
export class JobRefused extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'JobRefused';
  }
}

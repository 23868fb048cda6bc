import { setTimeout as delay } from 'node:timers/promises';
import { patiently } from '@tributary/testkit/patience';
import { createAdminClient } from '../../deploy/demo/admin-client.ts';
import type { Demo } from '../../deploy/demo/demo-file.ts';

export type Job = {
  jobId: string;
  status: string;
  /** How often it was begun. */
  attempts: number;
  endedAt?: string;
  error?: string;
  /** What kind of job it is decides what it has. */
  result?: JobResult;
};

type JobResult = { outcome?: string; generation?: number; to?: number };

/** Without a result, a job that long hangs. */
const longestMs = patiently(600_000);

/** Asks for a job of the replay service, as operators do. */
export async function askForJob(
  { baseUrl, adminToken }: Demo,
  path: string,
  body?: object,
  method: 'POST' | 'DELETE' = 'POST',
) {
  const admin = createAdminClient({ baseUrl, token: adminToken });
  let job = await admin.call<Job>(method, path, body);

  /** While replay or its database is away, it is as it was. */
  async function read(): Promise<Job> {
    try {
      job = await admin.call<Job>('GET', `/api/replay/jobs/${job.jobId}`);
    } catch (error) {
      const { status } = error as { status?: number };
      if (status === undefined || (status > 0 && status < 500)) throw error;
    }
    return job;
  }

  async function whileIn(...states: string[]): Promise<Job> {
    const deadline = performance.now() + longestMs;
    while (states.includes((await read()).status)) {
      if (performance.now() > deadline)
        throw new Error(`a job does not end: ${JSON.stringify(job)}`);
      await delay(100);
    }
    return job;
  }

  return {
    read,
    /** Gives it as it is when it has begun, or is over already. */
    begun: () => whileIn('queued'),
    /** Gives it as it is when it is over. */
    over: () => whileIn('queued', 'running'),
  };
}

/**
 * What a job came to.
 *
 * @throws when it was not done, or its result is not right.
 */
export function wants(job: Job, isRight: (result: JobResult) => boolean): JobResult {
  if (job.status === 'done' && job.result !== undefined && isRight(job.result)) return job.result;
  throw new Error(`a job came to ${JSON.stringify(job)}`);
}

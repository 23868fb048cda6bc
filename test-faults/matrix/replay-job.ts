import { setTimeout as delay } from 'node:timers/promises';
import { patiently } from '@tributary/testkit/patience';
import { createAdminClient } from '../../deploy/demo/admin-client.ts';
import type { Demo } from '../../deploy/demo/demo-file.ts';

export type Job = {
  jobId: string;
  status: string;
  error?: string;
  /** What kind of job it is decides what it has. */
  result?: { outcome?: string; generation?: number; to?: number };
};

/** Without a result, a job that long hangs. */
const longestMs = patiently(600_000);

/** Asks for a job of the replay service, as operators do. */
export async function askForJob({ baseUrl, adminToken }: Demo, path: string, body: object) {
  const admin = createAdminClient({ baseUrl, token: adminToken });
  let job = await admin.call<Job>('POST', path, body);

  async function read(): Promise<Job> {
    job = await admin.call<Job>('GET', `/api/replay/jobs/${job.jobId}`);
    return job;
  }

  return {
    read,
    /** Gives it as it is when it has begun, or is over already. */
    async begun(): Promise<Job> {
      while ((await read()).status === 'queued') await delay(20);
      return job;
    },
    /** Gives it as it is when it is over, or when nobody waits any longer. */
    async over(): Promise<Job> {
      const deadline = performance.now() + longestMs;
      const goesOn = async () => ['queued', 'running'].includes((await read()).status);
      while ((await goesOn()) && performance.now() < deadline) await delay(250);
      return job;
    },
  };
}

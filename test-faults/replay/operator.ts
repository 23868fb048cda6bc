import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type { Job } from '../../services/replay/src/db/job.ts';
import { type Ran, runCommand } from './run-command.ts';

/** What an operator does: over the admin API, and with the command line. */
export type Operator = ReturnType<typeof createOperator>;

export function createOperator({ url, token }: { url: string; token: string }) {
  async function ask(method: 'GET' | 'POST' | 'PUT', path: string, body?: object) {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(patiently(60_000)),
    });
    return { status: response.status, body: await response.json() };
  }

  async function call<T>(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<T> {
    const answer = await ask(method, path, body);
    expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.be.within(
      200,
      299,
    );
    return answer.body as T;
  }

  const job = (jobId: string) => call<Job>('GET', `/api/replay/jobs/${jobId}`);

  /** Its result, whatever becomes of processes meanwhile; rejects when it is not done. */
  async function resultOf<R>(jobId: string, deadlineMs = 120_000): Promise<R> {
    const ended = await eventually(
      async () => {
        const now = await job(jobId);
        expect(now.status, JSON.stringify(now)).to.not.be.oneOf(['queued', 'running']);
        return now;
      },
      { deadlineMs, everyMs: 200 },
    );
    expect(ended.status, JSON.stringify(ended)).to.equal('done');
    return ended.result as R;
  }

  return {
    ask,
    call,
    job,
    resultOf,

    async begin(path: string, body: object): Promise<string> {
      return (await call<{ jobId: string }>('POST', path, body)).jobId;
    },

    /** Also releases what an earlier part left. */
    async releaseAllInReview(tenantId: string, campaignId: string): Promise<void> {
      const filter = { state: 'review', campaignId };
      for (let more = true; more;) {
        const path = `/api/tenants/${tenantId}/rewards/release`;
        ({ more } = await call<{ more: boolean }>('POST', path, { by: 'olga', filter }));
      }
    },

    tributary: (argv: readonly string[]): Promise<Ran> =>
      runCommand(argv, { TRIBUTARY_ADMIN_URL: url, TRIBUTARY_ADMIN_TOKEN: token }),
  };
}

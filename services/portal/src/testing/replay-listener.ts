import { createAdminApp } from '@tributary/http/admin-listener';
import { createInternalRouter, type InternalReply } from '@tributary/http/internal-router';
import { createRegistry } from '@tributary/http/metrics';
import { serve } from '@tributary/http/testing';
import { createLogger } from '@tributary/runtime/logger';
import { randomUUID } from 'node:crypto';

export type AskedJob = { jobId: string; kind: string; params: Record<string, unknown>; by: string };
export type ReplayListener = Awaited<ReturnType<typeof startReplayListener>>;

/**
 * Who listens where the portal asks the replay service, which has specs of its own. It takes jobs
 * as that one does: every check of one preview is the same job.
 */
export async function startReplayListener(token = 'test-internal-token') {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const jobs: (AskedJob & { status: string })[] = [];
  const asked: string[] = [];
  const replies = new Map<string, InternalReply>();
  let status = 'done';
  /** Called before each job is taken. */
  let onJob: (kind: string) => Promise<void> | void = () => undefined;

  const other = (path: string) => {
    asked.push(path);
    const found: InternalReply = { status: 200, body: { asked: path } };
    return Promise.resolve(replies.get(path) ?? found);
  };
  const router = createInternalRouter(
    [
      {
        method: 'POST',
        path: '/jobs',
        async answer({ json }) {
          const job = json as Omit<AskedJob, 'jobId'>;
          await onJob(job.kind);
          const reply = replies.get(`POST ${job.kind}`);
          if (reply !== undefined) return reply;
          const same = jobs.find(
            ({ kind, params }) =>
              kind === 'commit-check' &&
              job.kind === kind &&
              params['previewId'] === job.params['previewId'],
          );
          if (same !== undefined) return { status: 202, body: same };
          const added = { jobId: randomUUID(), ...job, status };
          jobs.push(added);
          return { status: 202, body: added };
        },
      },
      {
        method: 'GET',
        path: '/jobs',
        answer({ query }) {
          const after = jobs.findIndex(({ jobId }) => jobId === query.get('before'));
          const page = jobs.slice(after + 1, after + 1 + Number(query.get('limit')));
          return Promise.resolve({ status: 200, body: { jobs: page } });
        },
      },
      {
        method: 'GET',
        path: '/jobs/:jobId',
        answer({ param }) {
          const job = jobs.find(({ jobId }) => jobId === param('jobId'));
          const missing = { problem: 'NOT_FOUND', detail: 'There is no such job.' } as const;
          return Promise.resolve(job === undefined ? missing : { status: 200, body: job });
        },
      },
      {
        method: 'POST',
        path: '/jobs/:jobId/cancel',
        answer: ({ param, json }) =>
          other(`cancel ${param('jobId')} by ${(json as { by: string }).by}`),
      },
      ...['/previews/:id', '/previews/:id/changes', '/generations'].map((path) => ({
        method: 'GET' as const,
        path,
        answer: ({ param, query }: { param(name: string): string; query: URLSearchParams }) =>
          other(`${path.replace(':id', param('id'))} ${query.toString()}`.trim()),
      })),
    ],
    { logger },
  );
  const registry = createRegistry('replay');
  const app = createAdminApp({
    service: 'replay',
    registry,
    checks: {},
    internal: { tokens: [token], router },
  });
  const listener = await serve(app);

  return {
    url: `http://127.0.0.1:${listener.port}`,
    jobs,
    /** What was asked beside jobs. */
    asked,
    replies,
    /** Applies to jobs that are asked for from now on. */
    jobsEnd: (as: string) => void (status = as),
    whenAsked: (listen: typeof onJob) => void (onJob = listen),
    checks: () => jobs.filter(({ kind }) => kind === 'commit-check'),
    stop: () => listener.stop(),
  };
}

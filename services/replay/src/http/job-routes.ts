import { replayRoutes, startJob } from '@tributary/contracts/admin/replays';
import { declaredRoute } from '@tributary/http/declared-route';
import type { InternalProblem, InternalRoute } from '@tributary/http/internal-router';
import type { IdSource } from '@tributary/runtime/ids';
import type pg from 'pg';
import { askToCancel, findJob, insertJob, listJobs } from '../db/job-rows.ts';
import { mistakeOfParams } from '../commands/job-params.ts';

/**
 * What the portal asks about jobs. Of commit-check there is one for each preview: asked for again,
 * it is the one that exists. Previews are in http/preview-routes.ts.
 */
export function createJobRoutes(options: {
  pool: pg.Pool;
  ids: Pick<IdSource, 'uuidv7'>;
  /** Something was asked for. */
  wake: () => void;
}): InternalRoute[] {
  const { pool, ids, wake } = options;
  return [
    declaredRoute(startJob)(async ({ body: { kind, params, by } }) => {
      const mistake = mistakeOfParams(kind, params);
      if (mistake !== undefined) return { problem: 'VALIDATION_ERROR', detail: mistake };
      const job = await insertJob(pool, { jobId: ids.uuidv7(), kind, params, by });
      if (!job) throw new Error('the id of a new job is taken');
      wake();
      return { status: 202, body: job };
    }),
    declaredRoute(replayRoutes.listJobs.asks)(async ({ query: { before, limit = 50 } }) => {
      if (before !== undefined && !isUuid(before)) {
        return { problem: 'VALIDATION_ERROR', detail: 'before is no job id' };
      }
      return { status: 200, body: { jobs: await listJobs(pool, { before, limit }) } };
    }),
    declaredRoute(replayRoutes.showJob.asks)(async ({ params }) => {
      const jobId = params.jobId.toLowerCase();
      const job = isUuid(jobId) ? await findJob(pool, jobId) : undefined;
      return job ? { status: 200, body: job } : noSuchJob;
    }),
    declaredRoute(replayRoutes.cancelJob.asks)(async ({ params, body }) => {
      const jobId = params.jobId.toLowerCase();
      const job = isUuid(jobId) ? await askToCancel(pool, jobId, body.by) : undefined;
      if (!job) return noSuchJob;
      wake();
      return { status: 202, body: job };
    }),
  ];
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

const noSuchJob: InternalProblem = { problem: 'NOT_FOUND', detail: 'There is no such job.' };

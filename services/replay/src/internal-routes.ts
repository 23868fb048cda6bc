import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { InternalReply, InternalRoute } from '@tributary/http/internal-router';
import type { IdSource } from '@tributary/runtime/ids';
import type pg from 'pg';
import { askToCancel, findJob, insertJob, listJobs } from './jobs/job-rows.ts';
import { mistakeOfParams } from './jobs/job-params.ts';

/**
 * What the portal asks for people, under `/internal` of the admin listener:
 *
 *   POST /jobs                { kind, params, by }        202 the job; commit-check: the one that exists
 *   GET  /jobs                ?before=jobId&limit=        { jobs }, the newest first, without results
 *   GET  /jobs/:jobId
 *   POST /jobs/:jobId/cancel  { by }                      202 the job
 *
 * and the routes of report/preview-routes.ts.
 */
export function createJobRoutes(options: {
  pool: pg.Pool;
  ids: Pick<IdSource, 'uuidv7'>;
  /** Something was asked for. */
  wake: () => void;
}): InternalRoute[] {
  const { pool, ids, wake } = options;
  return [
    {
      method: 'POST',
      path: '/jobs',
      async answer({ json }) {
        if (!jobBody.Check(json)) return notUnderstood('{ kind, params, by } is asked for');
        const { kind, params, by } = json;
        const mistake = mistakeOfParams(kind, params);
        if (mistake !== undefined) return notUnderstood(mistake);
        const job = await insertJob(pool, { jobId: ids.uuidv7(), kind, params, by });
        if (!job) throw new Error('the id of a new job is taken');
        wake();
        return { status: 202, body: job };
      },
    },
    {
      method: 'GET',
      path: '/jobs',
      async answer({ query }) {
        const before = query.get('before') ?? undefined;
        const limit = Number(query.get('limit') ?? 50);
        if (before !== undefined && !isUuid(before)) return notUnderstood('before is no job id');
        if (!Number.isInteger(limit) || limit < 1 || limit > 200) {
          return notUnderstood('limit must be from 1 to 200');
        }
        return { status: 200, body: { jobs: await listJobs(pool, { before, limit }) } };
      },
    },
    {
      method: 'GET',
      path: '/jobs/:jobId',
      async answer({ param }) {
        const jobId = param('jobId').toLowerCase();
        const job = isUuid(jobId) ? await findJob(pool, jobId) : undefined;
        return job ? { status: 200, body: job } : noSuchJob;
      },
    },
    {
      method: 'POST',
      path: '/jobs/:jobId/cancel',
      async answer({ param, json }) {
        if (!cancelBody.Check(json)) return notUnderstood('{ by } is asked for');
        const jobId = param('jobId').toLowerCase();
        const job = isUuid(jobId) ? await askToCancel(pool, jobId, json.by) : undefined;
        if (!job) return noSuchJob;
        wake();
        return { status: 202, body: job };
      },
    },
  ];
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

export function notUnderstood(detail: string): InternalReply {
  return { problem: 'VALIDATION_ERROR', detail };
}

const by = Type.String({ minLength: 1, maxLength: 510, pattern: '^[^\\u0000]*$' });
const JobBody = Type.Object({ kind: Type.String(), params: Type.Object({}), by });
type JobBody = Static<typeof JobBody>;
const jobBody = TypeCompiler.Compile(JobBody);
const cancelBody = TypeCompiler.Compile(Type.Object({ by }));
const noSuchJob: InternalReply = { problem: 'NOT_FOUND', detail: 'There is no such job.' };

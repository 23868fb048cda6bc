import type { InternalReply, InternalRoute } from '@tributary/http/internal-router';
import type pg from 'pg';
import { isUuid, notUnderstood } from '../internal-routes.ts';
import type { Job } from '../jobs/job.ts';
import { findJob } from '../jobs/job-rows.ts';
import { type ChangeFilter, type ChangePlace, pageChanges } from './change-rows.ts';
import { findCommitCheck } from './commit-rows.ts';

/**
 *   GET /previews/:id          the job of a preview or of a past state, its report as `result`, and
 *                              `commit`: the job that checks its commit, when it was committed
 *   GET /previews/:id/changes  ?kind=&rule=&recipient=&month=&after=&limit=
 *                              { changes, next? }, the largest first
 */
export function createPreviewRoutes({ pool }: { pool: pg.Pool }): InternalRoute[] {
  return [
    {
      method: 'GET',
      path: '/previews/:id',
      async answer({ param }) {
        const job = await findPreview(pool, param('id'));
        if (!job) return noSuchPreview;
        const commit = await findCommitCheck(pool, job.jobId);
        return { status: 200, body: { ...job, ...(commit && { commit }) } };
      },
    },
    {
      method: 'GET',
      path: '/previews/:id/changes',
      async answer({ param, query }) {
        const limit = Number(query.get('limit') ?? 100);
        if (!Number.isInteger(limit) || limit < 1 || limit > 1_000) {
          return notUnderstood('limit must be from 1 to 1000');
        }
        const kind = query.get('kind') ?? undefined;
        if (kind !== undefined && !isKind(kind)) {
          return notUnderstood('kind must be new, withdrawn, changed or review');
        }
        const after = query.has('after') ? placeOf(query.get('after') ?? '') : undefined;
        if (after === null) return notUnderstood('the cursor is none that this list has given');
        const job = await findPreview(pool, param('id'));
        if (!job) return noSuchPreview;
        // Rows are there from the first comparison on, and are all there at the end.
        if (job.status !== 'done') return notDone(job);
        const filter: ChangeFilter = {
          kind,
          rule: query.get('rule') ?? undefined,
          recipient: query.get('recipient') ?? undefined,
          month: query.get('month') ?? undefined,
        };
        // One more than asked for tells whether there is a next page.
        const found = await pageChanges(pool, job.jobId, filter, { after, limit: limit + 1 });
        const last = found.length > limit ? found[limit - 1] : undefined;
        const changes = found
          .slice(0, limit)
          .map(({ magnitude: _magnitude, changeId: _changeId, ...change }) => change);
        return { status: 200, body: { changes, ...(last && { next: cursorOf(last) }) } };
      },
    },
  ];
}

async function findPreview(pool: pg.Pool, id: string): Promise<Job | undefined> {
  const jobId = id.toLowerCase();
  const job = isUuid(jobId) ? await findJob(pool, jobId) : undefined;
  return job && previewKinds.includes(job.kind) ? job : undefined;
}

/** Kinds of jobs whose result is a report with rows of changes. */
const previewKinds = ['preview', 'state', 'rebuild'];

function isKind(text: string): text is NonNullable<ChangeFilter['kind']> {
  return ['new', 'withdrawn', 'changed', 'review'].includes(text);
}

function cursorOf({ magnitude, changeId }: ChangePlace): string {
  return Buffer.from(`${magnitude} ${changeId}`).toString('base64url');
}

/** Null when it is none that was given out. */
function placeOf(cursor: string): ChangePlace | null {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, magnitude, changeId] = /^(\d{1,60}(?:\.\d{1,6})?) (\d{1,18})$/.exec(text) ?? [];
  return magnitude === undefined || changeId === undefined ? null : { magnitude, changeId };
}

function notDone({ status }: Job): InternalReply {
  return { problem: 'CONFLICT', detail: `The preview is ${status}; there is no list of changes.` };
}

const noSuchPreview: InternalReply = { problem: 'NOT_FOUND', detail: 'There is no such preview.' };

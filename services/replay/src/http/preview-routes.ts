import { replayRoutes } from '@tributary/contracts/admin/replays';
import { declaredRoute } from '@tributary/http/declared-route';
import type { InternalProblem, InternalRoute } from '@tributary/http/internal-router';
import type pg from 'pg';
import { isUuid } from './job-routes.ts';
import type { Job } from '../db/job.ts';
import { findJob } from '../db/job-rows.ts';
import { type ChangePlace, pageChanges } from '../db/change-rows.ts';
import { findCommitCheck } from '../db/commit-rows.ts';

/**
 * The job of a preview or of a past state with its report as `result`, and `commit`: the job that
 * checks its commit, when it was committed; and the changes of it, the largest first.
 */
export function createPreviewRoutes({ pool }: { pool: pg.Pool }): InternalRoute[] {
  return [
    declaredRoute(replayRoutes.showPreview.asks)(async ({ params }) => {
      const job = await findPreview(pool, params.previewId);
      if (!job) return noSuchPreview;
      const commit = await findCommitCheck(pool, job.jobId);
      return { status: 200, body: { ...job, ...(commit && { commit }) } };
    }),
    declaredRoute(replayRoutes.listChanges.asks)(async ({ params, query }) => {
      const { limit = 100, after: cursor, ...filter } = query;
      const after = cursor === undefined ? undefined : placeOf(cursor);
      if (after === null) return notThisList;
      const job = await findPreview(pool, params.previewId);
      if (!job) return noSuchPreview;
      // Rows are there from the first comparison on, and are all there at the end.
      if (job.status !== 'done') return notDone(job);
      // One more than asked for tells whether there is a next page.
      const found = await pageChanges(pool, job.jobId, filter, { after, limit: limit + 1 });
      const last = found.length > limit ? found[limit - 1] : undefined;
      const changes = found
        .slice(0, limit)
        .map(({ magnitude: _magnitude, changeId: _changeId, ...change }) => change);
      return { status: 200, body: { changes, ...(last && { next: cursorOf(last) }) } };
    }),
  ];
}

async function findPreview(pool: pg.Pool, id: string): Promise<Job | undefined> {
  const jobId = id.toLowerCase();
  const job = isUuid(jobId) ? await findJob(pool, jobId) : undefined;
  return job && previewKinds.includes(job.kind) ? job : undefined;
}

/** Kinds of jobs whose result is a report with rows of changes. */
const previewKinds = ['preview', 'state', 'rebuild'];

function cursorOf({ magnitude, changeId }: ChangePlace): string {
  return Buffer.from(`${magnitude} ${changeId}`).toString('base64url');
}

/** Null when it is none that was given out. */
function placeOf(cursor: string): ChangePlace | null {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, magnitude, changeId] = /^(\d{1,60}(?:\.\d{1,6})?) (\d{1,18})$/.exec(text) ?? [];
  return magnitude === undefined || changeId === undefined ? null : { magnitude, changeId };
}

function notDone({ status }: Job): InternalProblem {
  return { problem: 'CONFLICT', detail: `The preview is ${status}; there is no list of changes.` };
}

const noSuchPreview: InternalProblem = {
  problem: 'NOT_FOUND',
  detail: 'There is no such preview.',
};
const notThisList: InternalProblem = {
  problem: 'VALIDATION_ERROR',
  detail: 'the cursor is none that this list has given',
};

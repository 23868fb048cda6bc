import type pg from 'pg';
import type { Job } from './job.ts';
import { findJob } from './job-rows.ts';

/** The job that checks the commit of a preview, if it was committed. */
export async function findCommitCheck(pool: pg.Pool, previewId: string): Promise<Job | undefined> {
  const { rows } = await pool.query<{ job_id: string }>(
    `select job_id from job where kind = 'commit-check' and params ->> 'previewId' = $1`,
    [previewId],
  );
  return rows[0] && findJob(pool, rows[0].job_id);
}

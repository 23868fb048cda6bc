import type { Static } from '@sinclair/typebox';
import type { Job as DeclaredJob } from '@tributary/contracts/admin/replay-answers';
import type { Progress } from '@tributary/contracts/admin/replay-answers';

/** A job as others see it. */
export type Job = Static<typeof DeclaredJob>;
export type JobStatus = Job['status'];

/** What {@link fromRow} wants, but for `result`, which may be long. */
export const jobColumns = `job_id, kind, params, asked_by, status, attempt, cancel_asked_by,
  progress, error, ${utc('created_at')} as created_at, ${utc('started_at')} as started_at,
  ${utc('ended_at')} as ended_at,
  (select coalesce(json_agg(json_build_object('at', ${utc('at')}, 'line', line) order by line_id), '[]')
   from job_history where job_history.job_id = job.job_id) as history`;

export type JobRow = {
  job_id: string;
  kind: string;
  params: unknown;
  asked_by: string;
  status: JobStatus;
  attempt: number;
  cancel_asked_by: string | null;
  progress: Progress | null;
  result: unknown;
  error: string | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  history: { at: string; line: string }[];
};

export function fromRow(row: JobRow): Job {
  const { status, progress, result, error } = row;
  return {
    jobId: row.job_id,
    kind: row.kind,
    params: row.params,
    by: row.asked_by,
    status,
    attempts: row.attempt,
    ...(progress !== null && { progress }),
    ...(result !== null && result !== undefined && { result }),
    ...(error !== null && { error }),
    ...(row.cancel_asked_by !== null && { cancelAskedBy: row.cancel_asked_by }),
    createdAt: row.created_at,
    ...(row.started_at !== null && { startedAt: row.started_at }),
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
    history: row.history,
  };
}

function utc(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

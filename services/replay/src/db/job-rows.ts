import type { Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';
import { fromRow, type Job, jobColumns, type JobRow } from './job.ts';

// Statements over `job` and `job_history` (migrations/0001_jobs.sql).

export type NewJob = { jobId: string; kind: string; params: object; by: string };

/**
 * Queues it. A job that may exist once (see the unique indexes) and does is given back as it is;
 * `undefined` when the id itself is taken.
 */
export async function insertJob(pool: pg.Pool, job: NewJob): Promise<Job | undefined> {
  const { jobId, kind, params, by } = job;
  const inserted = await pool.query<{ job_id: string }>(
    `with added as (
       insert into job (job_id, kind, params, asked_by) values ($1, $2, $3, $4::text)
       on conflict do nothing returning job_id
     ), reported as (
       insert into job_history (job_id, line) select job_id, 'asked for by ' || $4::text from added
     )
     select job_id from added`,
    [jobId, kind, params, by],
  );
  if (inserted.rowCount === 1) return findJob(pool, jobId);
  const found = await pool.query<{ job_id: string }>(
    `select job_id from job
     where kind = $1 and kind = 'commit-check' and params ->> 'previewId' = $2::jsonb ->> 'previewId'`,
    [kind, params],
  );
  return found.rows[0] && findJob(pool, found.rows[0].job_id);
}

export async function findJob(pool: pg.Pool, jobId: string): Promise<Job | undefined> {
  const { rows } = await pool.query<JobRow>(
    `select ${jobColumns}, result from job where job_id = $1`,
    [jobId],
  );
  return rows[0] && fromRow(rows[0]);
}

/** The newest first, without results: those of previews are long. */
export async function listJobs(
  pool: pg.Pool,
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<Job[]> {
  const { rows } = await pool.query<JobRow>(
    `select ${jobColumns}, null as result from job
     where $1::uuid is null or job_id < $1 order by job_id desc limit $2`,
    [before, limit],
  );
  return rows.map(fromRow);
}

/** The jobs that are not at their end. */
export async function listOpenJobs(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ job_id: string }>(
    `select job_id from job where status in ('queued', 'running')`,
  );
  return rows.map((row) => row.job_id);
}

/** A job and the right to write for it, until somebody takes it up again. */
export type TakenJob = {
  jobId: string;
  kind: string;
  params: unknown;
  attempt: number;
  crashes: number;
  cancelAskedBy: string | null;
};

/**
 * The recovery of a live generation that is lost, for which everybody waits; else what was
 * interrupted, else the oldest that waits. Only for the holder of the runner's lock: what is
 * `running` is then run by nobody.
 */
export async function takeJob(pool: pg.Pool): Promise<TakenJob | undefined> {
  await pool.query(
    `update job set status = 'queued'
     where status = 'running'
       and exists (select from job where status = 'queued' and ${isRecovery})`,
  );
  const { rows } = await pool.query<TakenJob>(
    `with taken as (
       update job
       set status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, now())
       where job_id = (
         select job_id from job where status in ('queued', 'running')
         order by status = 'running' desc, ${isRecovery} desc, attempt > 0 desc, job_id limit 1
       )
         and status in ('queued', 'running')
       returning job_id, kind, params, attempt, crashes, cancel_asked_by
     ), reported as (
       insert into job_history (job_id, line)
       select job_id, case when attempt = 1 then 'started' else 'taken up again, attempt ' || attempt end
       from taken
     )
     select job_id as "jobId", kind, params, attempt, crashes, cancel_asked_by as "cancelAskedBy"
     from taken`,
  );
  return rows[0];
}

const isRecovery = `coalesce(kind = 'rebuild' and params ->> 'recover' = 'true', false)`;

export type Attempt = Pick<TakenJob, 'jobId' | 'attempt'>;

export type AttemptSeen = {
  /** Somebody wants it cancelled. */
  cancelAskedBy: string | null;
  /** A lost generation waits to be recovered, and with it everybody. */
  isUrgentElsewhere: boolean;
};

/** Undefined: it is not this attempt's any more. */
export async function readAttempt(
  pool: pg.Pool,
  { jobId, attempt }: Attempt,
): Promise<AttemptSeen | undefined> {
  const { rows } = await pool.query<AttemptSeen>(
    `select cancel_asked_by as "cancelAskedBy",
       exists (select from job where status = 'queued' and ${isRecovery}) as "isUrgentElsewhere"
     from job
     where job_id = $1 and attempt = $2 and status = 'running'`,
    [jobId, attempt],
  );
  return rows[0];
}

/**
 * For a job that writes rows of its own: until the transaction ends, nobody else takes the job up.
 *
 * @throws when somebody has.
 */
export async function holdAttempt(tx: Tx, { jobId, attempt }: Attempt): Promise<void> {
  const { rowCount } = await tx.query(
    `select from job where job_id = $1 and attempt = $2 and status = 'running' for share`,
    [jobId, attempt],
  );
  if (rowCount === 0) throw new Error('the job is run by another process by now');
}

export async function writeProgress(
  pool: pg.Pool,
  { jobId, attempt }: Attempt,
  progress: object,
): Promise<void> {
  await pool.query(
    `update job set progress = $3 where job_id = $1 and attempt = $2 and status = 'running'`,
    [jobId, attempt, progress],
  );
}

export async function writeNote(
  pool: pg.Pool,
  { jobId, attempt }: Attempt,
  line: string,
): Promise<void> {
  await pool.query(
    `insert into job_history (job_id, line)
     select job_id, $3 from job where job_id = $1 and attempt = $2 and status = 'running'`,
    [jobId, attempt, line],
  );
}

/** The attempt ended by itself and the job is not at its end. */
export async function countCrash(
  pool: pg.Pool,
  { jobId, attempt }: Attempt,
  line: string,
): Promise<void> {
  await pool.query(
    `with counted as (
       update job set crashes = crashes + 1
       where job_id = $1 and attempt = $2 and status = 'running' returning job_id
     )
     insert into job_history (job_id, line) select job_id, $3 from counted`,
    [jobId, attempt, line],
  );
}

export type JobEnd =
  | { status: 'done'; result: unknown; line: string }
  | { status: 'failed'; error: string; line: string }
  | { status: 'cancelled'; line: string };

export type JobEnded = { kind: string; status: JobEnd['status']; result?: unknown };

/** False when the job is not this attempt's any more. */
export async function endJob(
  pool: pg.Pool,
  { jobId, attempt }: Attempt,
  end: JobEnd,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `with ended as (
       update job set status = $3, result = $4, error = $5, ended_at = now()
       where job_id = $1 and attempt = $2 and status = 'running' returning job_id
     ), reported as (
       insert into job_history (job_id, line) select job_id, $6 from ended
     )
     select from ended`,
    [
      ...[jobId, attempt, end.status],
      end.status === 'done' ? JSON.stringify(end.result ?? null) : null,
      end.status === 'failed' ? end.error : null,
      end.line,
    ],
  );
  return rowCount === 1;
}

/**
 * One that was never begun is cancelled at once, others are asked to end; one that has ended stays
 * as it is. Asking again changes nothing.
 */
export async function askToCancel(
  pool: pg.Pool,
  jobId: string,
  by: string,
): Promise<Job | undefined> {
  await pool.query(
    `with cancelled as (
       update job
       set status = case attempt when 0 then 'cancelled' else status end,
           ended_at = case attempt when 0 then now() end,
           cancel_asked_by = $2::text
       where job_id = $1 and status in ('queued', 'running') and cancel_asked_by is null
       returning job_id, status
     )
     insert into job_history (job_id, line)
     select job_id,
       case status when 'cancelled' then 'cancelled by ' || $2::text else $2::text || ' asks to cancel it' end
     from cancelled`,
    [jobId, by],
  );
  return findJob(pool, jobId);
}

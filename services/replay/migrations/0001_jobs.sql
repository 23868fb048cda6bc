-- One row per long piece of work, kept for ever; job_id grows with time (UUIDv7), so it is the order
-- of the queue too. `attempt` counts how often somebody took the job up: only the newest attempt may
-- write, whatever an older process still believes.
create table job (
  job_id uuid primary key,
  kind text not null,
  params jsonb not null,
  asked_by text not null,
  status text not null default 'queued'
    check (status in ('queued', 'running', 'done', 'failed', 'cancelled')),
  attempt integer not null default 0,
  -- Attempts that ended by themselves: a process that died, a server that was away.
  crashes integer not null default 0,
  cancel_asked_by text,
  progress jsonb,
  result jsonb,
  error text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz
);

-- One at a time, over all replicas.
create unique index job_running on job ((true)) where status = 'running';
create index job_open on job (job_id) where status in ('queued', 'running');
-- A preview is committed once, so it is checked once.
create unique index job_commit_check on job ((params ->> 'previewId')) where kind = 'commit-check';

-- A live generation that is lost is built again by one job, whoever sees the loss.
create unique index job_recovery on job ((true))
  where kind = 'rebuild' and params ->> 'recover' = 'true' and status in ('queued', 'running');

create table job_history (
  job_id uuid not null references job on delete cascade,
  line_id bigint generated always as identity,
  at timestamptz not null default clock_timestamp(),
  line text not null,
  primary key (job_id, line_id)
);

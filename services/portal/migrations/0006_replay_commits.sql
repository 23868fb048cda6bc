-- Up Migration

-- The preview that a revision was published from; null for one that an operator put.
alter table campaign_revision add column preview_id uuid;

-- What was committed from previews, each once and for ever. Its check is a job of the replay service, which is
-- asked for after the transaction; until its id is here, anybody may ask again, for it gives one job per
-- preview.
create table replay_commit (
  preview_id uuid primary key,
  tenant_id text not null,
  campaign_id text not null,
  revision integer not null,
  effective_from text not null,
  committed_by text not null,
  note text,
  published_at timestamptz not null,
  check_job_id uuid,
  -- In the words of the replay service, when it does not take the job.
  check_refusal text,
  foreign key (tenant_id, campaign_id, revision) references campaign_revision
);

create index replay_commit_unchecked on replay_commit (published_at)
  where check_job_id is null and check_refusal is null;

-- How it was shown that a registered domain is the tenant's. kept: it was registered before proofs were asked for.
-- An earlier release that still runs registers without this column, and its records count as kept too.
alter table registered_domain
  add column proof text not null default 'kept' check (proof in ('none', 'kept', 'dns', 'file')),
  -- What the proof has to contain; null until one is asked for.
  add column challenge text,
  add column checked_at timestamptz,
  -- Since when the proof was not found any more.
  add column failing_since timestamptz;

-- A tenant can be suspended, and have a limit of its own; null: the deployment's. Nothing has set the status of before.
alter table tenant
  add column events_per_second integer check (events_per_second > 0),
  drop constraint tenant_status_check;
update tenant set status = 'suspended' where status = 'disabled';
alter table tenant add constraint tenant_status_check check (status in ('active', 'suspended'));

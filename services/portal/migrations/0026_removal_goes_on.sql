-- Up Migration

-- When the newest version of the tenant was published: an export is newer than that, or lacks it.
alter table tenant
  add column changed_at timestamptz not null default now(),
  -- When its removal is looked at next; at infinity it is finished.
  add column removal_due_at timestamptz not null default '-infinity';

create index tenant_removal_due on tenant (removal_due_at)
  where removed_at is not null and removal_due_at < 'infinity';

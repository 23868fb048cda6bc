-- Up Migration

-- Since when a tenant is suspended for ever; null: it is not removed.
alter table tenant
  add column removed_at timestamptz,
  add check (removed_at is null or status = 'suspended');

-- Names of removed tenants are not given again.
create index tenant_removed on tenant (name) where removed_at is not null;

-- Up Migration

-- Tenants whose bulk actions need a second person, whatever the configuration says.
create table second_person_tenant (
  tenant_id text primary key references tenant,
  since timestamptz not null
);

-- What one person asked for and another one decides. What was asked may name people, so it goes once it is decided.
create table approval (
  approval_id uuid primary key,
  action text not null,
  -- Null: of the deployment.
  tenant_id text references tenant,
  params json not null,
  search text not null,
  body json,
  requested_by text not null,
  -- Who that is, be it by a token of theirs; null for the token of the configuration.
  requested_person text,
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  state text not null check (state in ('pending', 'approved', 'done', 'failed', 'declined')),
  decided_by text,
  decided_at timestamptz,
  status integer
);

create index approval_at on approval (requested_at, approval_id);
create index approval_tenant on approval (tenant_id, requested_at, approval_id);
create index approval_body on approval (expires_at) where body is not null;

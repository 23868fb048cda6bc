-- Up Migration

-- What operators have set up. Every entity that can change has a version that grows by one with each
-- change and travels in its record, so that a reader can tell a stale record from a new one. The
-- row of the tenant is the lock under which everything of the tenant but its codes changes.
create table tenant (
  tenant_id text primary key check (tenant_id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'),
  name text not null,
  status text not null check (status in ('active', 'disabled')),
  product_id text not null unique,
  default_campaign_id text,
  version integer not null check (version > 0),
  created_at timestamptz not null
);

-- Only a keyed digest of the secret access key is kept: the secret is shown once, at issue.
create table access_key (
  access_key_id text primary key,
  tenant_id text not null references tenant,
  secret_digest text not null,
  status text not null check (status in ('active', 'revoked')),
  version integer not null check (version > 0),
  created_at timestamptz not null,
  revoked_at timestamptz
);

create index access_key_tenant on access_key (tenant_id);

-- Sealed, not digested: the service must read it back to verify the widget's tokens.
create table product_secret (
  tenant_id text primary key references tenant,
  sealed_secret text not null,
  version integer not null check (version > 0),
  changed_at timestamptz not null
);

-- Immutable: a change of a campaign is another revision.
create table campaign_revision (
  tenant_id text not null references tenant,
  campaign_id text not null check (campaign_id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'),
  revision integer not null check (revision > 0),
  name text not null,
  status text not null check (status in ('running', 'stopped')),
  -- UTC with milliseconds as text: year 0000 is no timestamptz.
  effective_from text not null,
  landing_url text not null,
  credit_scale integer not null check (credit_scale between 0 and 6),
  rules jsonb not null,
  created_at timestamptz not null,
  primary key (tenant_id, campaign_id, revision)
);

create table webhook_endpoint (
  tenant_id text primary key references tenant,
  url text not null,
  username text not null,
  sealed_password text not null,
  status text not null check (status in ('active', 'disabled')),
  version integer not null check (version > 0),
  changed_at timestamptz not null
);

-- The first to take a ucc within a tenant has it for ever.
create table code (
  tenant_id text not null references tenant,
  ucc text not null,
  campaign_id text not null,
  product_user_id text not null,
  version integer not null check (version > 0),
  issued_at timestamptz not null,
  primary key (tenant_id, ucc)
);

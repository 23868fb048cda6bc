-- Up Migration

-- People who sign in. E-mail and name are here and nowhere else: records on the log and the audit list name an
-- account by its id. Whoever is left without any role is forgotten: the row stays, with nothing about a person.
create table account (
  account_id uuid primary key,
  -- Null once forgotten; in lower case where it is looked up by.
  email text,
  email_key text unique,
  name text not null,
  password_hash text,
  is_operator boolean not null default false,
  -- Of the second factor: sealed; it holds from the first code on.
  totp_sealed_secret text,
  totp_since timestamptz,
  -- The step of the last code that was taken: a code is taken once.
  totp_last_step bigint,
  created_at timestamptz not null,
  forgotten_at timestamptz,
  check ((email is null) = (email_key is null) and (email is null) = (forgotten_at is not null))
);

create table membership (
  account_id uuid not null references account,
  tenant_id text not null references tenant,
  role text not null check (role in ('owner', 'admin', 'developer', 'reviewer', 'analyst')),
  since timestamptz not null,
  primary key (account_id, tenant_id)
);

create index membership_tenant on membership (tenant_id);

-- The link is shown once; kept is a keyed digest of what is secret in it. A used one is removed.
create table invitation (
  invitation_id uuid primary key,
  digest text not null unique,
  email text not null,
  -- Null: of an operator of the deployment.
  tenant_id text references tenant,
  role text not null check (role in ('operator', 'owner', 'admin', 'developer', 'reviewer', 'analyst')),
  invited_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  check ((tenant_id is null) = (role = 'operator'))
);

create index invitation_tenant on invitation (tenant_id);

create table recovery_code (
  account_id uuid not null references account,
  digest text not null,
  primary key (account_id, digest)
);

create table account_session (
  session_id uuid primary key,
  -- Keyed digest of what is in the cookie.
  digest text not null unique,
  account_id uuid not null references account,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  -- When the password was entered last.
  confirmed_at timestamptz not null,
  address text not null,
  user_agent text not null
);

create index account_session_account on account_session (account_id);

-- What machines present. Never removed, so that an actor of the audit list keeps its name.
create table api_token (
  token_id uuid primary key,
  digest text not null unique,
  name text not null,
  tenant_id text references tenant,
  role text not null check (role in ('operator', 'owner', 'admin', 'developer', 'reviewer', 'analyst')),
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  check ((tenant_id is null) = (role = 'operator'))
);

create index api_token_tenant on api_token (tenant_id);

-- Passwords and codes that were tried in vain, by account and by address (keyed digests of both): of all
-- processes together. A row whose time is over counts as none.
create table sign_in_failure (
  subject text primary key,
  failures integer not null check (failures > 0),
  until timestamptz not null
);

create index sign_in_failure_until on sign_in_failure (until);

-- Changes that are being made. A row becomes an entry when its request ends; one that is left behind by a process
-- that died becomes one whose outcome nobody knows.
create table audit_open (
  entry_id uuid primary key,
  at timestamptz not null,
  entry json not null
);

-- Who did what. json and not jsonb: it keeps what was asked for as it was.
create table audit_entry (
  entry_id uuid primary key,
  at timestamptz not null,
  actor text not null,
  action text not null,
  tenant_id text,
  status integer,
  outcome text not null check (outcome in ('done', 'refused', 'failed', 'unknown')),
  target json not null,
  asked json,
  before json,
  after json,
  address text not null,
  request_id text
);

create index audit_entry_at on audit_entry (at, entry_id);
create index audit_entry_tenant on audit_entry (tenant_id, at, entry_id);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit list is only ever added to';
end
$$;

create trigger audit_entry_append_only before update or delete or truncate on audit_entry
  for each statement execute function refuse_audit_change();

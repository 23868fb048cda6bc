-- Up Migration

-- How many passkeys there are, in the row that everybody locks who changes how somebody signs in.
alter table account add column passkeys integer not null default 0 check (passkeys >= 0);

create table passkey (
  passkey_id uuid primary key,
  account_id uuid not null references account,
  credential_id text not null unique,
  public_key bytea not null,
  -- What the authenticator counted last; one that does not count says 0 for ever.
  counter bigint not null,
  transports text[] not null,
  is_synced boolean not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  -- Since when it signs nobody in, as its counter went backwards: there is a copy of it.
  suspended_at timestamptz
);

create index passkey_account on passkey (account_id);

-- Challenges, and sign-ons at a provider, that were answered: each is taken once. Only what was answered rightly
-- is kept, until it would be over anyway.
create table used_challenge (
  digest text primary key,
  until timestamptz not null
);

create index used_challenge_until on used_challenge (until);

-- Who an account is at the provider of single sign-on.
create table single_sign_on (
  issuer text not null,
  subject text not null,
  account_id uuid not null references account,
  linked_at timestamptz not null,
  primary key (issuer, subject)
);

create index single_sign_on_account on single_sign_on (account_id);

-- Mails that tell somebody of a change to how they sign in, until a mail server took them. No address and no text:
-- both are made when it is sent.
create table security_notice (
  notice_id uuid primary key,
  account_id uuid not null references account,
  kind text not null,
  at timestamptz not null,
  attempts integer not null default 0,
  due_at timestamptz not null
);

create index security_notice_due on security_notice (due_at);

-- Links that sign in once, on a developer's machine only.
create table sign_in_link (
  digest text primary key,
  account_id uuid not null references account,
  expires_at timestamptz not null
);

-- Up Migration

-- What a user of the widget may see, and what is needed to issue their code. One schema per generation
-- of the folds; it may be dropped at any time and is rebuilt from the log (design 4, promise 10).
-- Topics arrive in any order relative to each other, so no table refers to another, and what describes
-- an entity is replaced by version. Times are UTC with milliseconds as text, which sorts as it reads
-- under "C".

-- Codes as they are now. The first publication of a ucc wins (design 7).
create table code (
  tenant_id text collate "C" not null,
  ucc text collate "C" not null,
  version integer not null,
  status text not null check (status in ('issued', 'disabled')),
  campaign_id text collate "C" not null,
  product_user_id text collate "C" not null,
  -- Of the version 1, which alone says when the owner got the code; null until it was read.
  issued_at text collate "C",
  -- Of the record whose version the row has.
  changed_at text collate "C" not null,
  primary key (tenant_id, ucc)
);

create index code_owner on code (tenant_id, product_user_id);

-- Current decisions about signups, demos and purchases. A purchase's own decision tells what refunds took.
create table decision (
  event_id text collate "C" primary key,
  tenant_id text collate "C" not null,
  version integer not null,
  event_type text not null,
  new_user_id text collate "C" not null,
  -- null: attributed to nobody.
  referrer_id text collate "C",
  -- When the fact occurred.
  reached_at text collate "C" not null,
  -- Of a purchase: when the refund occurred that left nothing of it.
  refunded_at text collate "C"
);

-- Wide enough to answer for a referrer of very many users without the table.
create index decision_referrer on decision (tenant_id, referrer_id, new_user_id)
  include (event_type, reached_at, refunded_at) where referrer_id is not null;
create index decision_signup on decision (tenant_id, new_user_id)
  where event_type = 'signup-created';

-- Current entitlements with what was issued of them.
create table reward (
  reward_id text collate "C" primary key,
  tenant_id text collate "C" not null,
  version integer not null,
  campaign_id text collate "C" not null,
  recipient_id text collate "C" not null,
  state text not null,
  entitled numeric not null,
  issued numeric not null
);

create index reward_recipient on reward (tenant_id, recipient_id);

-- E-mail and names as last heard, and when they were to be forgotten. An erasure and a record of the
-- person may come in either order and at the same time: both write this one row.
create table person (
  tenant_id text collate "C" not null,
  user_id text collate "C" not null,
  email text,
  name text,
  first_name text,
  last_name text,
  received_at text collate "C",
  erased_at text collate "C",
  primary key (tenant_id, user_id)
);

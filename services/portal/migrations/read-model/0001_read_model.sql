-- Up Migration

-- What all topics say, laid out to be searched and explained. A schema of its own: it may be dropped
-- at any time and is rebuilt from the log (design 4, promise 10). Topics arrive in any order relative to
-- each other, so no table refers to another, and what describes an entity is replaced by version.
-- Times are UTC with milliseconds as text, which sorts as it reads under "C". Records are json, not
-- jsonb, which refuses text that JSON allows.

-- A fact and the current decision on it; whichever comes first makes the row.
create table event (
  event_id text primary key,
  tenant_id text not null,
  event_type text not null,
  source text not null,
  new_user_id text not null,
  ucc text not null,
  received_at text collate "C" not null,
  -- Invoice id and aliases of a purchase or refund.
  invoice_names text[] not null,
  fact json,
  decision json,
  decision_version integer not null default 0,
  outcome text,
  reason text,
  referrer_id text,
  campaign_id text,
  duplicate_of text,
  refund_of text
);

create index event_newest on event (tenant_id, received_at, event_id);
create index event_user on event (tenant_id, new_user_id, received_at, event_id);
create index event_referrer on event (tenant_id, referrer_id, received_at, event_id)
  where referrer_id is not null;
create index event_code on event (tenant_id, ucc, received_at, event_id);
create index event_type on event (tenant_id, event_type, received_at, event_id);
create index event_outcome on event (tenant_id, outcome, received_at, event_id);
create index event_reason on event (tenant_id, reason, received_at, event_id)
  where reason is not null;
create index event_campaign on event (tenant_id, campaign_id, received_at, event_id)
  where campaign_id is not null;
create index event_invoice on event using gin (invoice_names);
create index event_duplicate_of on event (duplicate_of) where duplicate_of is not null;
create index event_refund_of on event (refund_of) where refund_of is not null;

create table reward (
  reward_id text primary key,
  tenant_id text not null,
  version integer not null,
  campaign_id text not null,
  rule_id text not null,
  recipient_role text not null,
  recipient_id text not null,
  new_user_id text,
  event_id text not null,
  state text not null,
  entitled numeric not null,
  -- Before refunds and withdrawals took from it.
  granted numeric not null,
  -- When the log got its first version: the order of lists.
  recorded_at text collate "C" not null,
  record json not null
);

create index reward_newest on reward (tenant_id, recorded_at, reward_id);
create index reward_recipient on reward (tenant_id, recipient_id, recorded_at, reward_id);
create index reward_user on reward (tenant_id, new_user_id, recorded_at, reward_id);
create index reward_campaign on reward (tenant_id, campaign_id, recorded_at, reward_id);
create index reward_state on reward (tenant_id, state, recorded_at, reward_id);
create index reward_event on reward (event_id);

create table issuance (
  issuance_id text primary key,
  tenant_id text not null,
  reward_id text not null,
  campaign_id text not null,
  recipient_id text not null,
  credits numeric not null,
  issued_at text collate "C" not null,
  record json not null
);

create index issuance_newest on issuance (tenant_id, issued_at, issuance_id);
create index issuance_recipient on issuance (tenant_id, recipient_id, issued_at, issuance_id);
create index issuance_campaign on issuance (tenant_id, campaign_id);
create index issuance_reward on issuance (reward_id);

-- What operators released or withheld.
create table reward_action (
  action_id text primary key,
  tenant_id text not null,
  reward_id text not null,
  recipient_id text not null,
  acted_at text collate "C" not null,
  record json not null
);

create index reward_action_reward on reward_action (reward_id);
create index reward_action_recipient on reward_action (tenant_id, recipient_id, acted_at);

create table delivery (
  webhook_event_id text not null,
  attempt integer not null,
  tenant_id text not null,
  issuance_id text not null,
  started_at text collate "C" not null,
  record json not null,
  primary key (webhook_event_id, attempt)
);

create index delivery_issuance on delivery (issuance_id);

-- Every change of a code; the first record of a version holds.
create table code_change (
  tenant_id text not null,
  ucc text not null,
  version integer not null,
  product_user_id text not null,
  changed_at text collate "C" not null,
  record json not null,
  primary key (tenant_id, ucc, version)
);

create index code_change_owner on code_change (tenant_id, product_user_id, changed_at);

create table campaign_revision (
  tenant_id text not null,
  campaign_id text not null,
  revision integer not null,
  record json not null,
  primary key (tenant_id, campaign_id, revision)
);

-- E-mail and name as last heard, and when they were to be forgotten. An erasure and a record of the
-- person may come in either order and at the same time: both write this one row.
create table person (
  tenant_id text not null,
  user_id text not null,
  email text,
  name text,
  received_at text collate "C",
  erased_at text collate "C",
  primary key (tenant_id, user_id)
);

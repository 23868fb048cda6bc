-- Up Migration

-- Ids are uuids, times the 17 digits of their text (read-model-keys.ts of generations; decision 40). The
-- tables are made anew and read again from the first record.
drop table decision, reward, reward_action;

-- Current decisions about signups, demos and purchases. A purchase's own decision tells what refunds took.
create table decision (
  event_id uuid primary key,
  -- When the fact occurred.
  reached_at bigint not null,
  -- Of a purchase: when the refund occurred that left nothing of it.
  refunded_at bigint,
  version integer not null,
  tenant_id text collate "C" not null,
  event_type text not null,
  new_user_id text collate "C" not null,
  -- null: attributed to nobody.
  referrer_id text collate "C"
);

-- Wide enough to answer for a referrer of very many users without the table.
create index decision_referrer on decision (tenant_id, referrer_id, new_user_id)
  include (event_type, reached_at, refunded_at) where referrer_id is not null;
create index decision_signup on decision (tenant_id, new_user_id)
  where event_type = 'signup-created';

-- Current entitlements with what was issued of them.
create table reward (
  reward_id uuid primary key,
  version integer not null,
  reviewed boolean constraint reward_reviewed check (reviewed is not null),
  tenant_id text collate "C" not null,
  campaign_id text collate "C" not null,
  recipient_id text collate "C" not null,
  state text not null,
  entitled numeric not null,
  issued numeric not null
);

create index reward_recipient on reward (tenant_id, recipient_id);

-- The last word of an operator on a reward, the one of the highest sequence.
create table reward_action (
  reward_id uuid primary key,
  sequence integer not null,
  type text not null check (type in ('released', 'withheld'))
);

delete from projection_position where projection = 'widget';

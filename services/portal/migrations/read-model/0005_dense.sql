-- Up Migration

-- What an event leaves here is made anew, dense (decision 40), and read again from the first record.
--
-- Ids are uuids: one that is none is kept as the uuid that is derived of it (read-model-keys.ts of generations). Times are
-- their 17 digits, 20261123152133078, which sort as the text does. A record is packed (stored/pack.ts):
-- nothing here looks inside, and what is filtered, sorted or summed by has a column. No list is long
-- among records of one millisecond, so indexes end with the time.
drop table event, reward, issuance, reward_action, delivery, delivery_action;

-- A fact; made by the decision on it where that comes first.
create table event (
  event_id uuid primary key,
  received_at bigint not null,
  tenant_id text not null,
  event_type text not null,
  source text not null,
  new_user_id text not null,
  ucc text not null,
  -- Invoice id and aliases of a purchase or refund; null where there are none.
  invoice_names text[],
  fact bytea
);

create index event_newest on event (tenant_id, received_at);
create index event_user on event (tenant_id, new_user_id);
create index event_code on event (tenant_id, ucc, received_at);
-- Purchases, and what is attributed, are most of it: they are found by walking all events.
create index event_type on event (tenant_id, event_type, received_at)
  where event_type <> 'purchase-created';
create index event_invoice on event using gin (invoice_names);

-- The current decision on it, in a row of its own: a decision that comes, or changes, writes neither the
-- fact nor what leads to it again.
create table decision (
  event_id uuid primary key,
  received_at bigint not null,
  duplicate_of uuid,
  refund_of uuid,
  version integer not null,
  tenant_id text not null,
  outcome text not null,
  reason text,
  referrer_id text,
  campaign_id text,
  record bytea not null
);

create index decision_referrer on decision (tenant_id, referrer_id, received_at)
  where referrer_id is not null;
create index decision_campaign on decision (tenant_id, campaign_id, received_at)
  where campaign_id is not null;
create index decision_outcome on decision (tenant_id, outcome, received_at)
  where outcome <> 'attributed';
create index decision_reason on decision (tenant_id, reason, received_at) where reason is not null;
create index decision_duplicate_of on decision (duplicate_of) where duplicate_of is not null;
create index decision_refund_of on decision (refund_of) where refund_of is not null;

-- Facts without a decision; there are few of them at any time.
create table undecided (event_id uuid primary key);

create table reward (
  reward_id uuid primary key,
  event_id uuid not null,
  -- When the log got its first version: the order of lists.
  recorded_at bigint not null,
  version integer not null,
  -- Whether it has reasons to be looked at by an operator.
  reviewed boolean not null,
  -- Whether its limits left nothing of it.
  capped boolean not null,
  tenant_id text not null,
  campaign_id text not null,
  rule_id text not null,
  recipient_role text not null,
  recipient_id text not null,
  new_user_id text,
  state text not null,
  entitled numeric not null,
  issued numeric not null,
  -- Before refunds and withdrawals took from it.
  granted numeric not null,
  record bytea not null
);

create index reward_newest on reward (tenant_id, recorded_at);
create index reward_recipient on reward (tenant_id, recipient_id, recorded_at);
create index reward_user on reward (tenant_id, new_user_id);
create index reward_campaign on reward (tenant_id, campaign_id, recorded_at);
create index reward_state on reward (tenant_id, state, recorded_at);
create index reward_event on reward (event_id);
-- Settled rewards that were not issued in full: what they have grown by may wait for an operator, or
-- be paid next. Balances and the list of what is in review look for them.
create index reward_settled_unpaid on reward (tenant_id, recipient_id)
  where state = 'issued' and issued < entitled;

create table issuance (
  issuance_id uuid primary key,
  reward_id uuid not null,
  issued_at bigint not null,
  tenant_id text not null,
  campaign_id text not null,
  recipient_id text not null,
  credits numeric not null,
  record bytea not null
);

create index issuance_newest on issuance (tenant_id, issued_at);
create index issuance_recipient on issuance (tenant_id, recipient_id, issued_at);
create index issuance_campaign on issuance (tenant_id, campaign_id, issued_at);
create index issuance_reward on issuance (reward_id);

-- What operators released or withheld.
create table reward_action (
  action_id text primary key,
  reward_id uuid not null,
  acted_at bigint not null,
  sequence bigint not null,
  tenant_id text not null,
  recipient_id text not null,
  type text not null,
  record json not null
);

create index reward_action_reward on reward_action (reward_id);
create index reward_action_recipient on reward_action (tenant_id, recipient_id);

create table delivery (
  webhook_event_id uuid not null,
  issuance_id uuid not null,
  started_at bigint not null,
  attempt integer not null,
  outcome text not null,
  tenant_id text not null,
  record bytea not null,
  primary key (webhook_event_id, attempt)
);

create index delivery_issuance on delivery (issuance_id);
-- Few: where retention looks.
create index delivery_not_delivered on delivery (started_at) where outcome <> 'delivered';

-- What happens to a delivery beside attempts: it expired, or an operator asked for it anew.
create table delivery_action (
  webhook_event_id uuid not null,
  issuance_id uuid not null,
  at bigint not null,
  round integer not null,
  type text not null check (type in ('expired', 'resent')),
  tenant_id text not null,
  record json not null,
  primary key (webhook_event_id, type, round)
);

create index delivery_action_issuance on delivery_action (issuance_id);

do $$
begin
  if to_regclass('projection_position') is not null then
    delete from projection_position where projection = 'portal';
  end if;
end $$;

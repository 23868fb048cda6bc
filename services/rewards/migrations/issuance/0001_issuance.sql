-- Up Migration

-- What was granted. Facts: never changed, never derived again, shared by all generations of the
-- folds. The copy on referral.issuances is the one that survives the loss of this schema.
create table issuance (
  issuance_id uuid primary key,
  reward_id uuid not null,
  tenant_id text not null,
  campaign_id text not null,
  recipient_id text not null,
  credits numeric not null check (credits > 0),
  issued_at text not null,
  webhook_event_id uuid not null unique,
  record json not null
);

create index issuance_reward on issuance (reward_id);
create index issuance_recipient on issuance (tenant_id, recipient_id);

-- The one generation that may issue. Every release holds this row `for share`, so changing it
-- waits for releases under way and fences all later ones of the old generation.
create table live_generation (
  one boolean primary key default true check (one),
  generation integer not null
);

insert into live_generation (generation) values (1);

-- Same shape as event-log's outbox; outside generations, because a fact must reach the log even if
-- the generation that wrote it is dropped.
create table issuance_outbox (
  id bigint generated always as identity primary key,
  lane smallint not null,
  topic text not null,
  key text not null,
  value text,
  created_at timestamptz not null default now()
);

create index issuance_outbox_lane on issuance_outbox (lane, id);

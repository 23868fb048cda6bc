-- Up Migration

-- The tables are made anew and filled from the log: issuances, deliveries and the catalog know all
-- that they held. Read again from the first record.
drop table attempt;
drop table delivery;
delete from projection_position where projection = 'webhook-dispatcher';

-- A process that sends. Its claims hold while it says that it lives; one row per process, so a
-- heartbeat is one update however much is under way.
create table worker (
  worker_id uuid primary key,
  -- Host and process, for people.
  name text not null,
  started_at timestamptz not null default now(),
  alive_until timestamptz not null,
  -- The server's history in which it was registered. A standby that takes over begins another one,
  -- and may know less than the log does: leases of the old one are lengthened no more.
  timeline text not null default left(pg_walfile_name(pg_current_wal_lsn()), 8)
);

-- One endpoint per tenant: how it is set up (from referral.catalog), how it fares, and when it is
-- next worth a look. Whoever changes in_flight or the breaker holds the row; claims skip rows that
-- are held (for update skip locked), so they wait for nobody. No index but the key: the table is
-- small and every update stays on its page.
--
-- Order of locks, for everyone: rows of delivery (by webhook_event_id), then rows of endpoint (by
-- tenant_id). A claim alone goes the other way round, and it never waits.
create table endpoint (
  tenant_id text primary key,
  -- As configured; version 0: the catalog has not named one yet.
  version integer not null default 0,
  status text not null default 'none' check (status in ('none', 'active', 'paused', 'disabled')),
  url text,
  username text,
  sealed_password text,
  previous_username text,
  previous_sealed_password text,
  previous_until timestamptz,
  reason text,
  changed_by text,
  changed_at timestamptz,

  -- Nothing of this endpoint is worth a look before; it may be early, never late.
  next_at timestamptz not null default now(),
  -- Deliveries claimed and not given back, and how many of them are retries.
  in_flight integer not null default 0 check (in_flight >= 0),
  retries_in_flight integer not null default 0 check (retries_in_flight between 0 and in_flight),

  -- The breaker. Closed: probe_at is null. Open: one delivery at a time from probe_at on.
  probe_at timestamptz,
  -- Openings and failed probes since it was last closed; the wait doubles with each.
  opened integer not null default 0,
  consecutive_failures integer not null default 0,
  window_started_at timestamptz not null default now(),
  window_attempts integer not null default 0,
  window_failures integer not null default 0,

  -- For people: since when nothing but failures came, and what came last.
  failing_since timestamptz,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_failure text
) with (fillfactor = 50);

-- One webhook to send. Filled from two topics in any order: the issuance brings the body, the
-- deliveries topic (our own past) brings how far we got. A row without a body is known only from
-- the latter and is never claimed.
create table delivery (
  webhook_event_id uuid primary key,
  tenant_id text not null,
  issuance_id uuid not null,
  reward_id uuid,
  recipient_id text,
  -- The bytes of every attempt: built once, never again (design 8, "Webhook"). Kept out of line, so
  -- that a claim or a result does not write them again.
  body bytea,
  issued_at timestamptz,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'exhausted')),
  -- How often an operator asked for it anew; schedule and horizon count from the start of a round.
  round integer not null default 0,
  round_started_at timestamptz not null default now(),
  -- Attempts whose result was recorded, in all rounds; the next one is attempts + 1.
  attempts integer not null default 0,
  -- Places of the schedule that this round has used up.
  step integer not null default 0,
  retry boolean not null generated always as (step > 0) stored,
  due_at timestamptz not null default now(),
  -- Who is sending it now: a worker. In no index and no index's condition, so that a claim is an
  -- update within the page.
  claimed_by uuid,
  finished_at timestamptz,
  check (claimed_by is null or state = 'pending')
) with (fillfactor = 50, toast_tuple_target = 128, autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 2000);
alter table delivery alter column body set storage external;

-- Claims walk it endpoint by endpoint: first tries apart from retries, each by due time.
create index delivery_waiting on delivery (tenant_id, retry, due_at)
  where state = 'pending' and body is not null;

create index delivery_list on delivery (tenant_id, issued_at, webhook_event_id)
  where body is not null;

create index delivery_exhausted on delivery (tenant_id, finished_at)
  where state = 'exhausted' and body is not null;

-- What happened, attempt by attempt; also published on the deliveries topic, but for what the
-- receiver answered, which stays here and goes with the row when its time is over.
create table attempt (
  webhook_event_id uuid not null,
  attempt integer not null,
  round integer not null,
  step integer not null,
  outcome text not null,
  result text not null,
  -- Our words on it: why it was blocked, which certificate was refused.
  detail text,
  status_code integer,
  started_at timestamptz not null,
  duration_ms integer not null,
  -- [[name, value], …] as received, secrets removed.
  answer_headers json,
  answer_body text,
  -- The body was longer than what is kept of it.
  answer_cut boolean,
  primary key (webhook_event_id, attempt)
);

-- Rows come in by time, so a few bytes per range of pages tell the retention job where to look.
create index attempt_age on attempt using brin (started_at) with (autosummarize = on);

-- An operator's resends; also on the deliveries topic.
create table resend (
  webhook_event_id uuid not null,
  round integer not null,
  asked_by text not null,
  note text,
  asked_at timestamptz not null,
  primary key (webhook_event_id, round)
);

-- Up Migration

-- One webhook to send. Filled from two topics in any order: the issuance brings the body, the
-- deliveries topic (our own past) brings how far we got. A row without a body is known only from
-- the latter and is never claimed.
create table delivery (
  webhook_event_id text primary key,
  tenant_id text not null,
  issuance_id text not null,
  reward_id text,
  -- The bytes of every attempt: built once, never again (design 8, "Webhook").
  body bytea,
  issued_at timestamptz,
  state text not null default 'pending'
    check (state in ('pending', 'delivered', 'exhausted', 'no-endpoint')),
  -- Attempts whose result was recorded; the next one is attempts + 1.
  attempts integer not null default 0,
  retry boolean not null generated always as (attempts > 0) stored,
  due_at timestamptz not null default now(),
  -- Who is sending it now. Set by a claim, cleared by the result, by a release or by the sweep
  -- that frees what a dead process held.
  lease_id uuid,
  lease_owner text,
  lease_until timestamptz,
  finished_at timestamptz,
  created_at timestamptz not null default now(),
  check ((lease_id is null) = (lease_until is null)),
  check (lease_id is null or state = 'pending')
);

-- Claims walk it tenant by tenant: first tries before retries, each by due time.
create index delivery_waiting on delivery (tenant_id, retry, due_at) include (webhook_event_id)
  where state = 'pending' and body is not null and lease_id is null;

create index delivery_due on delivery (due_at)
  where state = 'pending' and body is not null and lease_id is null;

create index delivery_leased on delivery (tenant_id, lease_until) where lease_id is not null;

create index delivery_no_endpoint on delivery (tenant_id) where state = 'no-endpoint';

-- What happened, attempt by attempt; also published on the deliveries topic.
create table attempt (
  webhook_event_id text not null,
  attempt integer not null,
  outcome text not null,
  result text not null,
  status_code integer,
  started_at timestamptz not null,
  duration_ms integer not null,
  primary key (webhook_event_id, attempt)
);

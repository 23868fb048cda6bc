-- Up Migration

-- Accounts at a payment processor. A row comes before anything is made at Stripe (`opening`, version 0, on no
-- topic), so that whoever died in between finds its id again. From `active` on every change is a record of the
-- catalog with the next version.
create table processor_connection (
  connection_id text primary key check (connection_id ~ '^[0-9a-z]{16,40}$'),
  tenant_id text not null references tenant,
  processor text not null check (processor = 'stripe'),
  status text not null check (status in ('opening', 'active', 'disconnected')),
  api_version text not null,
  -- Both null while it is opening: Stripe says which mode the key is of.
  livemode boolean,
  connected_at timestamptz,
  tax_policy text not null check (tax_policy in ('gross', 'net')),
  -- Sealed as all that is secret here; null once disconnected.
  sealed_api_key text,
  endpoint_id text,
  endpoint_sealed_secret text,
  -- Of an endpoint that was rotated away: its events are taken until then.
  previous_endpoint_id text,
  previous_sealed_secret text,
  previous_until timestamptz,
  -- Why it has its status, and who said so. Of one that is opening: what was in the way last.
  reason text,
  changed_by text,
  version integer not null check (version >= 0),
  changed_at timestamptz not null,
  -- Who is asking Stripe about it now. Stripe is asked outside of any transaction, and by one at a time;
  -- who died is forgotten at `held_until`, by the database's clock.
  held_by uuid,
  held_until timestamptz,
  check (num_nulls(endpoint_id, endpoint_sealed_secret) in (0, 2)),
  check (num_nulls(previous_endpoint_id, previous_sealed_secret, previous_until) in (0, 3)),
  check (num_nulls(held_by, held_until) in (0, 2))
);

create index processor_connection_tenant on processor_connection (tenant_id);

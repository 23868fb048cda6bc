-- Up Migration

-- Everything here is folded from the topic `processor` (docs/decisions/0014), but for what is known of
-- questions under way and of connections that refuse: that is found out again.

-- All that bears on the payments of one customer. Whoever applies records of it holds its row until the
-- commit: partitions may be added, and then two processes may have records of one subject.
--
-- Order of locks: rows of subject (by tenant_id, subject), then rows of need. A claim takes rows of
-- need alone, and skips those that are held.
create table subject (
  subject_id bigint generated always as identity primary key,
  tenant_id text not null,
  subject text not null,
  -- UTC with milliseconds, as text sorts; empty before the first.
  last_event_at text not null default '',
  -- Which connection told of it last, and is asked; empty before the first.
  last_connection_id text not null default '',
  unique (tenant_id, subject)
);

-- Ids of the processor's events, for ever. subject_id 0: an event that is about nothing.
create table seen (
  connection_id text not null,
  processor_event_id text not null,
  subject_id bigint not null,
  kind text not null,
  api_version text,
  -- Seconds since the epoch, as the processor says.
  created_seconds double precision not null,
  received_at timestamptz not null,
  item_id uuid,
  primary key (connection_id, processor_event_id, subject_id)
);

create index seen_gaps on seen (connection_id, received_at);
create index seen_of_item on seen (item_id, subject_id) where item_id is not null;

-- The last that was read of an object, by what is asked for. Text of a processor: json takes any.
create table reading (
  subject_id bigint not null,
  type text not null,
  id text not null,
  received_at text not null,
  object json not null,
  primary key (subject_id, type, id)
);

-- A price is the same for all customers, and asked for once.
create index reading_of_price on reading (id) where type = 'price';

create table item (
  subject_id bigint not null,
  item_id uuid not null,
  tenant_id text not null,
  connection_id text not null,
  type text not null,
  -- The telling that is kept (domain/model.ts).
  item json not null,
  -- When the object was made at the processor, seconds since the epoch; null when it is not readable.
  made_at_seconds bigint,
  -- When the first telling of it was received; retries and lists count from it.
  known_since timestamptz not null,
  state text not null check (state in ('reported', 'waiting', 'unmatched', 'ignored')),
  reason text,
  detail text,
  needs json not null,
  -- What it was judged by: `type:id` of readings, there or not.
  asks text[] not null,
  -- Of its facts; they stay as they are.
  event_ids uuid[] not null,
  -- Judged anew with each record of its subject.
  open boolean not null,
  -- When an operator last asked for it.
  retried_at timestamptz,
  primary key (subject_id, item_id)
);

create index item_by_id on item (item_id);
create index item_list on item (tenant_id, known_since, item_id);
create index item_list_open on item (tenant_id, state, known_since, item_id)
  where state in ('waiting', 'unmatched');
create index item_figures on item (connection_id, state);
create index item_made on item (connection_id, type, made_at_seconds, item_id);

create table fact (
  -- In the order in which they were made.
  fact_id bigint generated always as identity,
  subject_id bigint not null,
  event_id uuid not null,
  item_id uuid not null,
  connection_id text not null,
  event_type text not null,
  occurred_at_seconds bigint not null,
  -- Of a purchase: its refunds take its identity.
  invoice_id text,
  tax_policy text not null,
  record json not null,
  primary key (subject_id, event_id)
);

create index fact_purchase on fact (subject_id, invoice_id) where invoice_id is not null;
create index fact_of_item on fact (item_id, subject_id);
create index fact_occurred on fact (connection_id, event_type, occurred_at_seconds, item_id, event_id);

-- What is to be asked of the processor. There while an item wants it.
create table need (
  subject_id bigint not null,
  type text not null,
  id text not null,
  tenant_id text not null,
  subject text not null,
  connection_id text not null,
  -- An answer counts that was received at or after it.
  since text,
  due_at timestamptz not null,
  -- An operator wants it now, whether an item does or not; until it was answered.
  asked_for boolean not null default false,
  -- Questions without an answer since the last one with.
  attempts integer not null default 0,
  last_error text,
  -- Of an answer that only people can change (a key without permission): the first of its kind.
  refused_at timestamptz,
  -- After a question without an answer.
  not_before timestamptz,
  claim_id uuid,
  claimed_until timestamptz,
  -- The answer is on the log, and was not applied yet.
  answered boolean not null default false,
  primary key (subject_id, type, id)
);

create index need_due on need (connection_id, due_at) where not answered;
create index need_refused on need (connection_id) where refused_at is not null;

-- A connection of the catalog, as far as questions go.
create table connection (
  connection_id text primary key,
  tenant_id text not null,
  version integer not null,
  active boolean not null,
  -- Nothing is asked before.
  rest_until timestamptz,
  -- Questions without an answer in a row.
  failures integer not null default 0,
  -- Of a row of failures that is long enough to be called one.
  failing_since timestamptz,
  failing_detail text,
  -- Of an endpoint that was rotated away and is removed at the processor.
  removed_endpoint_id text
);

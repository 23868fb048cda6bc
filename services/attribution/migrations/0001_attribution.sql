-- Up Migration

-- Text keys compare byte by byte: every process locks and sorts them in the same order, whatever
-- the locale of the database. Records are `json`, not `jsonb`: read whole, and jsonb refuses some
-- legal text.

-- What was reported, once per event and never changed. Without idempotency key and warnings.
create table fact (
  event_id text collate "C" primary key,
  tenant_id text collate "C" not null,
  new_user_id text collate "C" not null,
  ucc text collate "C" not null,
  business_key text collate "C" not null,
  record json not null
);

create index fact_code on fact (tenant_id, ucc, event_id);
create index fact_business_key on fact (tenant_id, business_key, event_id);

-- Which event holds a business key. Every writer of facts with the key locks this row.
create table claim (
  tenant_id text collate "C" not null,
  business_key text collate "C" not null,
  event_id text not null,
  new_user_id text not null,
  source text not null,
  -- Text: the exact number, however many digits its fraction has (numeric ends at 16383).
  occurred_at_seconds text not null,
  received_at text not null,
  -- Null for what is no purchase.
  amount bigint,
  currency text,
  primary key (tenant_id, business_key)
);

-- Every version of every code: an event is judged by the code as it was when the event came.
create table code (
  tenant_id text collate "C" not null,
  ucc text collate "C" not null,
  version integer not null,
  record json not null,
  primary key (tenant_id, ucc, version)
);

-- What attribution needs of the catalog. Revisions are immutable.
create table campaign_revision (
  tenant_id text collate "C" not null,
  campaign_id text collate "C" not null,
  revision integer not null,
  status text not null,
  effective_from text not null,
  effective_from_seconds text not null,
  primary key (tenant_id, campaign_id, revision)
);

-- Grows with each campaign revision of the tenant; decisions name the version they were folded
-- under.
create table tenant (
  tenant_id text collate "C" primary key,
  catalog_version bigint not null
);

-- The lock of all decisions about one referred user.
create table referred_user (
  tenant_id text collate "C" not null,
  new_user_id text collate "C" not null,
  primary key (tenant_id, new_user_id)
);

-- The current decision of each event.
create table decision (
  event_id text collate "C" primary key,
  tenant_id text collate "C" not null,
  version integer not null,
  outcome text not null check (outcome in ('attributed', 'not-attributed', 'waiting', 'undecided')),
  -- Of the event's code, also when the decision is another; null while the code is unknown.
  campaign_id text collate "C",
  -- Cut to microseconds: for finding rows only, so that a fraction of any length can be indexed.
  occurred_at_seconds numeric not null,
  folded_under bigint not null,
  -- Of outcome undecided only.
  attempts integer not null default 0,
  retry_at timestamptz,
  record json not null,
  check ((outcome = 'undecided') = (retry_at is not null))
);

create index decision_campaign
  on decision (tenant_id, campaign_id, occurred_at_seconds, event_id) where campaign_id is not null;
create index decision_waiting on decision (outcome) where outcome = 'waiting';
create index decision_undecided on decision (retry_at) where outcome = 'undecided';

-- Work for the sweeper: decide again the facts that a change touched and that were not, or not
-- all, decided again with it. A row is worked through in pages and removed at its end.
create table refold (
  refold_id bigint generated always as identity primary key,
  tenant_id text collate "C" not null,
  scope text not null check (scope in ('code', 'claim', 'campaign')),
  -- The ucc, the business key, or the campaign id.
  subject text collate "C" not null,
  -- Campaign only: facts from this time on that were folded under an older catalog.
  folded_below bigint,
  after_seconds numeric,
  after_event_id text collate "C" not null default '',
  check ((scope = 'campaign') = (folded_below is not null and after_seconds is not null))
);

-- Up Migration

-- Revisions are immutable; only what rewards needs of the catalog is kept.
create table campaign_revision (
  tenant_id text not null,
  campaign_id text not null,
  revision integer not null,
  record json not null,
  primary key (tenant_id, campaign_id, revision)
);

-- The current form of each decision. `json`, not `jsonb`: it is read whole, and jsonb refuses some
-- legal text.
create table decision (
  decision_id text primary key,
  version integer not null check (version > 0),
  tenant_id text not null,
  business_key text not null,
  status text not null check (status in ('folded', 'waiting-for-revision')),
  campaign_id text,
  campaign_revision integer,
  record json not null,
  check (status = 'folded' or campaign_revision is not null)
);

create index decision_business_key on decision (tenant_id, business_key);
create index decision_waiting on decision (tenant_id, campaign_id, campaign_revision)
  where status = 'waiting-for-revision';

-- One row per recipient: the lock of everything below, and running totals so that no fold and no
-- release has to read all rewards of a busy referrer. `held` is the part of `entitled` that still
-- waits for its release, so `entitled - held - issued` is what settled rewards leave open: more
-- than zero is a correction to pay, less than zero is what the recipient owes.
create table recipient (
  tenant_id text not null,
  recipient_id text not null,
  entitled numeric not null default 0,
  issued numeric not null default 0,
  held numeric not null default 0,
  -- When a release has something to do; -infinity is at once, null is never.
  due_at timestamptz,
  -- Got more than is entitled now.
  owing boolean not null default false,
  undecided_reason text,
  undecided_attempts integer not null default 0,
  retry_at timestamptz,
  primary key (tenant_id, recipient_id)
)
-- A busy recipient's row changes many times a second; room in its page keeps that cheap. For the
-- same reason no index names the totals.
with (fillfactor = 50);

create index recipient_due on recipient (due_at, tenant_id, recipient_id) where due_at is not null;
create index recipient_owing on recipient (tenant_id, recipient_id) where owing;
create index recipient_undecided on recipient (retry_at) where undecided_reason is not null;

-- Business keys that a recipient's fold failed on; a sweeper folds them again.
create table unfolded (
  tenant_id text not null,
  recipient_id text not null,
  business_key text not null,
  primary key (tenant_id, recipient_id, business_key)
);

-- What one rule gives one recipient for one business fact. Version 0 is a row of which only an
-- issuance is known: its decision has not been read yet (rebuilds read topics side by side).
create table entitlement (
  reward_id uuid primary key,
  version integer not null,
  tenant_id text not null,
  recipient_id text not null,
  campaign_id text not null,
  state text not null check (state in ('held', 'review', 'issued', 'withheld', 'reversed')),
  entitled numeric not null check (entitled >= 0),
  issued numeric not null check (issued >= 0),
  issuances integer not null,
  -- The cause; all null in version 0.
  campaign_revision integer,
  rule_id text,
  recipient_role text,
  business_key text,
  event_id text,
  decision_id text,
  decision_version integer,
  -- Exact text: a fraction may have more digits than numeric or an index takes, so the order of
  -- payment is by its microseconds. That order is history, not state (design 4, promise 4).
  occurred_at_seconds text,
  payment_order numeric generated always as (
    (split_part(occurred_at_seconds, '.', 1) || '.' ||
      left(split_part(occurred_at_seconds, '.', 2) || '0', 6))::numeric) stored,
  received_at text,
  -- Sentences: from the fact to the amount, and what settled it.
  explanation json not null,
  settlement json not null,
  open boolean not null generated always as
    (state = 'held' or (state = 'issued' and issued < entitled)) stored,
  check (version = 0 or (campaign_revision is not null and rule_id is not null
    and recipient_role is not null and business_key is not null and event_id is not null
    and decision_id is not null and decision_version is not null
    and occurred_at_seconds is not null and received_at is not null))
);

create index entitlement_business_key on entitlement (tenant_id, business_key);
create index entitlement_open on entitlement
  (tenant_id, recipient_id, state, payment_order, received_at, event_id) where open;

-- Double entry, append-only. Ids are derived from the cause, so nothing can be posted twice.
create table ledger_posting (
  posting_id uuid primary key,
  posted_at timestamptz not null default now(),
  tenant_id text not null,
  recipient_id text not null,
  reward_id uuid not null,
  -- The cause: a version of a decision, or an issuance.
  decision_id text,
  decision_version integer,
  issuance_id uuid unique,
  check ((decision_id is null) <> (issuance_id is null)),
  check ((decision_id is null) = (decision_version is null))
);

create index ledger_posting_recipient on ledger_posting (tenant_id, recipient_id);
create index ledger_posting_reward on ledger_posting (reward_id);

create table ledger_entry (
  posting_id uuid not null references ledger_posting,
  account text not null check (account in ('entitled', 'owed', 'issued')),
  campaign_id text not null,
  credits numeric not null check (credits <> 0),
  primary key (posting_id, account, campaign_id)
);

-- All entries of a posting are written by one statement, so one look at what the statement wrote
-- proves that it sums to zero.
create function refuse_unbalanced_posting() returns trigger language plpgsql as $$
begin
  if exists (select from written group by posting_id having sum(credits) <> 0) then
    raise exception 'a ledger posting does not sum to zero';
  end if;
  return null;
end $$;

create trigger ledger_entry_balanced after insert on ledger_entry
  referencing new table as written
  for each statement execute function refuse_unbalanced_posting();

create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only';
end $$;

create trigger ledger_posting_append_only before update or delete or truncate on ledger_posting
  for each statement execute function refuse_ledger_change();
create trigger ledger_entry_append_only before update or delete or truncate on ledger_entry
  for each statement execute function refuse_ledger_change();

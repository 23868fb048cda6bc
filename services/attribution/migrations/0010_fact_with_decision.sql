-- Up Migration

-- Batches of a process that still runs begin with their position: from here on none is under way.
lock table projection_position in share row exclusive mode;
-- All that this migration changes, in the order in which transactions lock it.
lock table fact, claim, decision, refold, code_owner in access exclusive mode;

-- A fact and the current decision on it are one row (decision 63), written once, when the event is
-- decided. Numbers first: so nothing is spent on their alignment.
create table decided_fact (
  folded_under bigint not null,
  version integer not null,
  checksum integer,
  attempts integer not null default 0,
  -- Another event holds its business key, or once did. Who holds a key is in `claim`.
  is_rival boolean not null default false,
  event_id text collate "C" not null,
  tenant_id text collate "C" not null,
  new_user_id text collate "C" not null,
  ucc text collate "C" not null,
  business_key text collate "C" not null,
  purchase_key text collate "C",
  -- Cut to microseconds: for finding rows only, so that a fraction of any length can be indexed.
  occurred_at_seconds numeric not null,
  outcome text not null check (outcome in ('attributed', 'not-attributed', 'waiting', 'undecided')),
  campaign_id text collate "C",
  digest bytea,
  -- Of outcome undecided only.
  retry_at timestamptz,
  reported json not null,
  -- Rows of earlier releases keep their record until they are written again.
  former_record json,
  check ((outcome = 'undecided') = (retry_at is not null)),
  check (num_nulls(former_record, digest) = 1 and num_nulls(former_record, checksum) = 1)
);

-- A fact whose decision somebody has removed is decided by the next look of the sweeper.
insert into decided_fact
select coalesce(folded_under, 0), coalesce(version, 0),
  case when decision.event_id is null then 0 else checksum end,
  coalesce(attempts, 0), exists (
    select from claim
    where claim.tenant_id = fact.tenant_id and claim.business_key = fact.business_key
      and claim.event_id is distinct from fact.event_id),
  fact.event_id, fact.tenant_id, new_user_id, ucc, business_key, purchase_key,
  coalesce(occurred_at_seconds, 'infinity'), coalesce(outcome, 'undecided'), campaign_id,
  case when decision.event_id is null then '' else digest end,
  case when decision.event_id is null then now() else retry_at end, reported, former_record
from fact left join decision using (event_id);

drop view stage_unfinished;
drop table fact;
drop table decision;
alter table decided_fact rename to fact;
alter table fact rename constraint decided_fact_outcome_check to fact_outcome_check;

alter table fact add primary key (event_id);
-- Names are long; who looks for a code, a user or a key by its digest compares it too. Of a code and
-- of a user page by page, in the order of time.
create index fact_code on fact
  (hashtextextended(ucc, hashtextextended(tenant_id, 0)), occurred_at_seconds);
create index fact_user on fact
  (hashtextextended(new_user_id, hashtextextended(tenant_id, 0)), occurred_at_seconds);
create index fact_rival on fact (hashtextextended(business_key, 0)) where is_rival;
create index fact_purchase_key on fact (hashtextextended(purchase_key, 0))
  where purchase_key is not null;
create index fact_waiting on fact (outcome) where outcome = 'waiting';
create index fact_undecided on fact (retry_at) where outcome = 'undecided';
analyze fact;

create view stage_unfinished as
select
  (select count(*) from refold) as open,
  (select count(*) from outbox) as unsent,
  (select count(*) from fact where outcome = 'undecided') as undecided;

-- The events of a campaign are those of its codes, of which each belongs to one campaign, that of
-- its lowest version.
alter table code_owner add column campaign_id text collate "C";
update code_owner set campaign_id = first.campaign_id
from (
  select distinct on (tenant_id, ucc) tenant_id, ucc, record ->> 'campaignId' as campaign_id
  from code order by tenant_id, ucc, version
) as first
where code_owner.tenant_id = first.tenant_id and code_owner.ucc = first.ucc;
alter table code_owner alter column campaign_id set not null;
create index code_owner_campaign on code_owner (tenant_id, campaign_id, ucc);

-- Pages go by time, those of a campaign by code first. Work that had begun begins again: what was
-- decided by the new revision already is passed over.
alter table refold
  drop constraint if exists refold_check,
  add column from_seconds numeric,
  add column after_ucc text collate "C" not null default '';
update refold
set from_seconds = case when scope = 'campaign' and after_event_id = '' then after_seconds
    when scope = 'campaign' then '-infinity'::numeric end,
  after_seconds = null, after_event_id = case when scope in ('claim', 'tenant') then after_event_id
    else '' end;
alter table refold
  add check ((scope = 'campaign') = (folded_below is not null and from_seconds is not null));

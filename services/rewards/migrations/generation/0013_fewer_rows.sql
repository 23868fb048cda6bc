-- Up Migration

-- Batches of a process that still runs begin with their position: from here on none is under way.
lock table projection_position in share row exclusive mode;
-- In the order in which transactions take their locks.
lock table entitlement, limited_reward, ledger_posting in access exclusive mode;

-- Names are long: who looks for a business key or a recipient by its digest compares it too. What is
-- alike in the columns of the index is sorted when it is read.
drop index entitlement_business_key, entitlement_release, entitlement_correctable;
create index entitlement_business_key on entitlement (hashtextextended(business_key, 0))
  where business_key is not null;
create index entitlement_release on entitlement
  (hashtextextended(recipient_id, hashtextextended(tenant_id, 0)), release_at, payment_order)
  where release_at is not null;
create index entitlement_correctable on entitlement
  (hashtextextended(recipient_id, hashtextextended(tenant_id, 0)), payment_order)
  where correctable;

-- A reward under a limit is an entitlement too, which is found by its fact.
drop index limited_reward_fact;

-- The posting of an issuance has its id, so that the primary key keeps it from being counted twice.
alter table ledger_posting disable trigger ledger_posting_append_only;
update ledger_posting set posting_id = issuance_id where issuance_id is not null;
alter table ledger_posting enable trigger ledger_posting_append_only;
drop index ledger_posting_issuance;
alter table ledger_posting
  add constraint ledger_posting_issuance check (posting_id = issuance_id);

-- With its first credits a reward opens its books, which is most of what the ledger has: that posting
-- is in the row of the reward (decision 64) and never changes there. The campaign and the decision
-- are those of the row until it gets others, and are kept here then.
alter table entitlement
  add column opened_at timestamptz,
  add column opened_credits numeric check (opened_credits > 0),
  add column opened_decision_version integer,
  add column opened_decision_id text,
  add column opened_campaign_id text,
  add check (num_nulls(opened_at, opened_credits, opened_decision_version) in (0, 3));

create trigger entitlement_opened_once before update on entitlement
  for each row when (
    (old.opened_at, old.opened_credits, old.opened_decision_version,
      coalesce(old.opened_decision_id, old.decision_id),
      coalesce(old.opened_campaign_id, old.campaign_id))
    is distinct from
    (new.opened_at, new.opened_credits, new.opened_decision_version,
      coalesce(new.opened_decision_id, new.decision_id),
      coalesce(new.opened_campaign_id, new.campaign_id))
    and old.opened_credits is not null)
  execute function refuse_ledger_change();
create trigger entitlement_opened_kept before delete on entitlement
  for each row when (old.opened_credits is not null) execute function refuse_ledger_change();
create trigger entitlement_kept before truncate on entitlement
  for each statement execute function refuse_ledger_change();

-- All others have rows of their own.
drop view ledger_entry;
alter table ledger_posting rename to posting;
create view ledger_posting as
select posting_id, posted_at, tenant_id, recipient_id, reward_id, decision_id, decision_version,
  issuance_id, campaign_id, entitled, owed, issued, left_campaign_id, left_entitled, left_owed
from posting
union all
select reward_id, opened_at, tenant_id, recipient_id, reward_id,
  coalesce(opened_decision_id, decision_id), opened_decision_version, null,
  coalesce(opened_campaign_id, campaign_id), -opened_credits, opened_credits, null, null, null, null
from entitlement where opened_credits is not null;

create view ledger_entry as
select posting_id, account, entry.campaign_id, credits
from ledger_posting
cross join lateral (values
  ('entitled', campaign_id, entitled),
  ('owed', campaign_id, owed),
  ('issued', campaign_id, issued),
  ('entitled', left_campaign_id, left_entitled),
  ('owed', left_campaign_id, left_owed)
) as entry (account, campaign_id, credits)
where credits is not null;

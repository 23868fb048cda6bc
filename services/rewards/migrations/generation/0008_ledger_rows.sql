-- Up Migration

-- A posting carries its entries: it is one row, and the row alone shows that it sums to zero. Credits
-- by account, for its campaign and, of a reward that moves to another one, for the campaign that it
-- leaves; null where there is no entry.
create table posting (
  posting_id uuid not null,
  posted_at timestamptz not null default now(),
  tenant_id text not null,
  recipient_id text not null,
  reward_id uuid not null,
  -- The cause: a version of a decision, or an issuance.
  decision_id text,
  decision_version integer,
  issuance_id uuid,
  campaign_id text not null,
  entitled numeric check (entitled <> 0),
  owed numeric not null check (owed <> 0),
  issued numeric check (issued <> 0),
  left_campaign_id text check (left_campaign_id <> campaign_id),
  left_entitled numeric check (left_entitled <> 0),
  left_owed numeric check (left_owed <> 0),
  check ((decision_id is null) <> (issuance_id is null)),
  check ((decision_id is null) = (decision_version is null)),
  check (num_nulls(left_campaign_id, left_entitled, left_owed) in (0, 3)),
  constraint ledger_posting_balanced check (coalesce(entitled, 0) + owed + coalesce(issued, 0) = 0
    and coalesce(left_entitled + left_owed, 0) = 0)
);

-- In the campaign that a reward leaves less is owed, in the other one more.
with by_campaign as (
  select posting_id, campaign_id,
    sum(credits) filter (where account = 'entitled') as entitled,
    sum(credits) filter (where account = 'owed') as owed,
    sum(credits) filter (where account = 'issued') as issued
  from ledger_entry group by posting_id, campaign_id
), numbered as (
  select *, row_number() over (partition by posting_id order by owed desc) as nth from by_campaign
)
insert into posting
select posting_id, posted_at, tenant_id, recipient_id, reward_id, decision_id, decision_version,
  issuance_id, own.campaign_id, own.entitled, own.owed, own.issued,
  other.campaign_id, other.entitled, other.owed
from ledger_posting
join (select * from numbered where nth = 1) as own using (posting_id)
left join (select * from numbered where nth > 1) as other using (posting_id);

drop table ledger_entry;
drop table ledger_posting;
drop function refuse_unbalanced_posting();
alter table posting rename to ledger_posting;

-- Nobody looks for the postings of a recipient or a reward; whoever sums them up reads all.
alter table ledger_posting add primary key (posting_id);
create unique index ledger_posting_issuance on ledger_posting (issuance_id)
  where issuance_id is not null;
create trigger ledger_posting_append_only before update or delete or truncate on ledger_posting
  for each statement execute function refuse_ledger_change();
analyze ledger_posting;

-- The entries one by one, for whoever looks at the books.
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

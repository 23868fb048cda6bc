-- Up Migration

-- Invoices of several names: each name has a row, all with one holder. A row without a holder keeps
-- the place of a purchase that refunds came before.
alter table claim
  alter column event_id drop not null,
  alter column new_user_id drop not null,
  alter column source drop not null,
  alter column occurred_at_seconds drop not null,
  alter column received_at drop not null,
  -- One of the names of an invoice with several, the same for all; null: it has this one.
  add column invoice text collate "C",
  add check (num_nulls(event_id, new_user_id, source, occurred_at_seconds, received_at) in (0, 5));

create index claim_invoice on claim (tenant_id, invoice, business_key) where invoice is not null;

-- Of a refund: the business key of the purchase that it names.
alter table fact add column purchase_key text collate "C";

update fact
set purchase_key = '["purchase",' || to_json(tenant_id)::text || ','
  || to_json(record -> 'refund' ->> 'invoiceId')::text || ']'
where record ->> 'eventType' = 'purchase-refunded'
  and record -> 'refund' ->> 'invoiceId' is not null;

create index fact_purchase_key on fact (tenant_id, purchase_key, event_id)
  where purchase_key is not null;
create index fact_user on fact (tenant_id, new_user_id, event_id);

insert into claim (tenant_id, business_key)
select distinct tenant_id, purchase_key from fact where purchase_key is not null
on conflict (tenant_id, business_key) do nothing;

-- What a user's facts and codes amount to (src/domain/user-state.ts). Null: to be summed up from all
-- of them, when the user is next touched.
alter table referred_user add column state json;

-- Whose each code is, by its lowest version.
create table code_owner (
  tenant_id text collate "C" not null,
  ucc text collate "C" not null,
  owner_id text collate "C" not null,
  issued_at text collate "C" not null,
  primary key (tenant_id, ucc)
);

insert into code_owner (tenant_id, ucc, owner_id, issued_at)
select distinct on (tenant_id, ucc) tenant_id, ucc, record ->> 'productUserId', record ->> 'at'
from code order by tenant_id, ucc, version;

create index code_owner_owner on code_owner (tenant_id, owner_id);

insert into referred_user (tenant_id, new_user_id)
select distinct tenant_id, owner_id from code_owner
on conflict (tenant_id, new_user_id) do nothing;

-- Who referred whom, for users that own codes themselves: by the first fact in canonical order.
create table referral (
  tenant_id text collate "C" not null,
  new_user_id text collate "C" not null,
  owner_id text collate "C" not null,
  event_id text not null,
  occurred_at_seconds text not null,
  received_at text not null,
  primary key (tenant_id, new_user_id, owner_id)
);

-- Window, loops and existing users; null: none of them set.
alter table campaign_revision add column settings json;

-- Every attribution mode the tenant ever set, with its time.
alter table tenant add column modes json;

alter table refold
  drop constraint refold_scope_check,
  add check (scope in ('code', 'claim', 'campaign', 'user', 'tenant'));

-- Everything is decided again by the new rules, user by user.
insert into refold (tenant_id, scope, subject)
select distinct tenant_id, 'tenant', '' from fact;

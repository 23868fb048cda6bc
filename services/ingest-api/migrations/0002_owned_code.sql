-- Up Migration

-- Codes with their owner and time of issue, for the look-up and the active link (interface 4.5, 4.6).
--
-- A second table, with a reader (consumer group and position) of its own that begins at the start of
-- the log: rows of `referral_code` do not know when a code was issued. Replicas of the first release
-- go on with that one, undisturbed; a later release drops it.
create table owned_code (
  tenant_id text collate "C" not null,
  ucc text collate "C" not null,
  version integer not null,
  status text not null check (status in ('issued', 'disabled')),
  campaign_id text not null,
  product_user_id text not null,
  -- Of the record whose version the row has.
  at text collate "C" not null,
  primary key (tenant_id, ucc)
);

create index owned_code_owner on owned_code (tenant_id, product_user_id)
  where status = 'issued';

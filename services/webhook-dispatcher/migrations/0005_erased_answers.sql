-- Up Migration

-- People who were erased, and up to when: what receivers answered about them is not kept.
create table erasure (
  tenant_id text not null,
  user_id text not null,
  erased_at timestamptz not null,
  primary key (tenant_id, user_id)
);
create index erasure_latest on erasure (erased_at);

-- The catalog is read again from the first record: it tells of erasures that came before this table.
delete from projection_position
where projection = 'webhook-dispatcher' and topic like '%referral.catalog';

-- Up Migration

-- People whose e-mail and name are forgotten. Erased again, a row has a higher version. Until
-- `repeat_at` a record of theirs may come back by a late retry of an append, so that then a second
-- tombstone follows; null once it has.
create table erasure (
  tenant_id text not null references tenant,
  user_id text not null,
  version integer not null check (version > 0),
  erased_at timestamptz not null,
  repeat_at timestamptz,
  primary key (tenant_id, user_id)
);

create index erasure_to_repeat on erasure (repeat_at) where repeat_at is not null;

-- Up Migration

-- What a generation consists of: each service that runs a part of it says so when it starts
-- (decision 30). Names are those of the first generation; those of the others follow from them.
create table stage (
  name text primary key,
  schema_name text not null,
  consumer_group text not null,
  projection text not null,
  topics text[] not null,
  -- What the service keeps for all generations together.
  shared_schema text,
  registered_at timestamptz not null default now()
);

-- Up Migration

-- The runs of the folds that exist. Not derived: which one is live is a decision of an operator.
create table generation (
  number integer primary key check (number > 0),
  status text not null check (status in ('building', 'live', 'kept', 'lost')),
  note text,
  created_at timestamptz not null default now()
);

create unique index generation_live on generation (status) where status = 'live';

-- The one generation that may issue. Every release holds this row `for share`, so changing it waits
-- for releases under way and fences all later ones of the old generation.
create table live_generation (
  one boolean primary key default true check (one),
  generation integer not null
);

create table generation_event (
  event_id bigint generated always as identity primary key,
  number integer not null,
  at timestamptz not null default now(),
  line text not null
);

-- Before there was this schema, the row was kept beside the issuances. Rewards drops that table
-- afterwards, so that a process of that time can release nothing any more.
do $$
declare carried integer;
begin
  if to_regclass('issuance.live_generation') is not null then
    execute 'select generation from issuance.live_generation' into carried;
  end if;
  insert into generation (number, status) values (coalesce(carried, 1), 'live');
  insert into live_generation (generation) values (coalesce(carried, 1));
end $$;

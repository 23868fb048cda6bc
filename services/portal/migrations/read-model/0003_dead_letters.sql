-- Up Migration

-- A record that somebody put aside. One row however many readers did, made by the first letter.
create table dead_letter (
  item_id text primary key,
  topic text not null,
  -- When the broker got the record itself: the order of lists.
  origin_at text collate "C" not null,
  -- The letter without the value.
  record json not null,
  -- Base64; null of records about people. Read only where one item is shown.
  value text
);

create index dead_letter_newest on dead_letter (origin_at, item_id);

-- Who put it aside, and why.
create table dead_letter_reader (
  item_id text not null,
  reader text not null,
  reason text not null,
  put_aside_at text collate "C" not null,
  record json not null,
  primary key (item_id, reader)
);

-- What operators did about it.
create table dead_letter_action (
  item_id text not null,
  type text not null check (type in ('redriven', 'discarded')),
  record json not null,
  primary key (item_id, type)
);

-- Up Migration

-- What the last look at the whole ledger found.
create table ledger_check (
  is_only boolean primary key default true check (is_only),
  -- When the last one was begun that came to its end, and when the last one was begun at all.
  checked_at timestamptz,
  begun_at timestamptz,
  took interval not null default '0',
  unbalanced integer not null default 0
);
insert into ledger_check default values;

-- Up Migration

-- For how many hours an equal legacy payment without invoice id and timestamp is a repeat. A tenant's
-- record carries it with the time it holds from.
alter table tenant add column legacy_repeat_hours integer not null default 24
  check (legacy_repeat_hours between 1 and 8760);

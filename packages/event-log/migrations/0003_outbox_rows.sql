-- Up Migration

-- A row has all records that a transaction wants on the log, compressed (outbox-row.ts): `records`,
-- how many they are, and their distinct keys. Rows of the release before have one record each, in
-- `topic`, `key` and `value`, and a lane; a process of that release passes over rows without one.
alter table outbox
  add column records bytea,
  add column record_count integer not null default 1,
  add column keys text[],
  alter column lane drop not null,
  alter column topic drop not null,
  alter column key drop not null,
  alter column records set storage external;

-- Compressed once is enough, and a row that fits on a page stays in one piece.
alter table outbox set (toast_tuple_target = 8160);

drop index outbox_lane;

-- Up Migration

-- As event-log's 0003_outbox_rows.sql does with its outbox.
alter table issuance_outbox
  add column records bytea,
  add column record_count integer not null default 1,
  add column keys text[],
  alter column lane drop not null,
  alter column topic drop not null,
  alter column key drop not null,
  alter column records set storage external;

alter table issuance_outbox set (toast_tuple_target = 8160);

drop index issuance_outbox_lane;

-- Up Migration

-- Paused: nothing is sent, while the time of deliveries runs on. Disabled: as if there were none.
alter table webhook_endpoint drop constraint webhook_endpoint_status_check;
alter table webhook_endpoint add constraint webhook_endpoint_status_check
  check (status in ('active', 'paused', 'disabled'));

-- Why it has its status, and who said so; null while nobody said anything.
alter table webhook_endpoint add column reason text;
alter table webhook_endpoint add column changed_by text;

-- Credentials that receivers surely have, sent until then in place of the present ones, which
-- receivers may not have yet.
alter table webhook_endpoint add column previous_username text;
alter table webhook_endpoint add column previous_sealed_password text;
alter table webhook_endpoint add column previous_until timestamptz;
alter table webhook_endpoint add constraint webhook_endpoint_previous_whole
  check (num_nulls(previous_username, previous_sealed_password, previous_until) in (0, 3));

-- Up Migration

-- What happens to a delivery beside attempts: it expired, or an operator asked for it anew.
create table delivery_action (
  webhook_event_id text not null,
  type text not null check (type in ('expired', 'resent')),
  round integer not null,
  tenant_id text not null,
  issuance_id text not null,
  at text collate "C" not null,
  record json not null,
  primary key (webhook_event_id, type, round)
);

create index delivery_action_issuance on delivery_action (issuance_id);

-- Attempts read as version 1, as the codec would read them today. All their text is of forms that
-- jsonb takes.
update delivery
set record = (record::jsonb || jsonb_build_object(
  'schemaVersion', 2, 'type', 'attempted', 'round', 0, 'step', attempt))::json
where record ->> 'type' is null;

-- Up Migration

-- Webhooks that were delivered so long ago that nothing else is kept of them (decision 40). Kept for ever:
-- should their issuance come again, from a restored backup of the service that issued it, it is not sent
-- again. Nobody but the tenant is answered by it.
create table forgotten (
  webhook_event_id uuid primary key,
  tenant_id text not null
);

-- Rows come in by time of issue, which is never changed: a few bytes per range of pages show the retention
-- job where to look, and no update pays for it.
create index delivery_age on delivery using brin (issued_at) with (autosummarize = on);

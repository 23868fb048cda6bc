-- Up Migration

-- Webhooks that were delivered so long ago that nothing else is kept of them (decision 40). Sixteen bytes
-- each, for ever: should their issuance come again, from a backup of whoever told it, it is not sent
-- again.
create table forgotten (webhook_event_id uuid primary key);

-- Rows come in by time of issue, which is never changed: a few bytes per range of pages tell the retention
-- job where to look, and no update pays for it.
create index delivery_age on delivery using brin (issued_at) with (autosummarize = on);

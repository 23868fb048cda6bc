-- Up Migration

-- The trace that a delivery belongs to (decision 92), of the few that are traced.
alter table delivery
  add column traceparent text,
  add column request_id text;

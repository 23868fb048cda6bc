-- Up Migration

alter table entitlement
  -- Which of an operator's words `action` was.
  add column action_sequence integer,
  drop column open;

-- In a statement of its own: generated columns may not name columns that the same one adds.
alter table entitlement
  -- When a release may settle it: UTC with milliseconds, '' at once, null not by time. Text in the
  -- one form of the log's times, whose order is that of the bytes.
  add column release_at text collate "C" generated always as
    (case when state = 'held' then
       case when action = 'released' then '' else coalesce(matures_at, '') end
     end) stored,
  -- Settled and not paid in full, and nothing keeps a correction from being paid.
  add column correctable boolean generated always as
    (state = 'issued' and issued < entitled and coalesce(action, '') <> 'withheld'
      and (coalesce(action, '') = 'released' or json_array_length(reviews) = 0)) stored;

create index entitlement_release on entitlement
  (tenant_id, recipient_id, release_at, payment_order, received_at, event_id)
  where release_at is not null;
create index entitlement_correctable on entitlement
  (tenant_id, recipient_id, payment_order, received_at, event_id) where correctable;
create index entitlement_review on entitlement (tenant_id, received_at, reward_id)
  where state = 'review';

-- Failed releases of one recipient are postponed, so that they are nobody else's.
alter table recipient
  add column release_failures integer not null default 0,
  add column release_retry_at timestamptz;

create index recipient_failing on recipient (release_retry_at) where release_retry_at is not null;

-- Up Migration

-- People look for the webhooks of one recipient.
create index delivery_recipient on delivery (tenant_id, recipient_id, issued_at)
  where body is not null;

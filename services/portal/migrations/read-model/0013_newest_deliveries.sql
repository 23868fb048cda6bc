-- Up Migration

-- What a timeline walks for the deliveries of somebody who has many.
create index delivery_newest on delivery (tenant_id, started_at);

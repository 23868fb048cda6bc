-- Up Migration

-- What was read back of the catalog before its tenant: processes do not wait for each other when they
-- send what they have committed, so what one publishes of a tenant may overtake the tenant itself.
create table catalog_ahead (
  tenant_id text not null,
  entity text not null,
  version integer not null,
  record json not null,
  primary key (tenant_id, entity, version)
);

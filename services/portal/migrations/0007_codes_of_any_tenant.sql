-- Up Migration

-- Codes are read back from their own topic, which may be ahead of the one that tells of their tenant.
alter table code drop constraint code_tenant_id_fkey;

-- Up Migration

-- Domains that the public pages of tenants live at. One that was removed stays as a row, so that it has a higher
-- version when it is registered again. Several tenants may have the same one.
create table registered_domain (
  tenant_id text not null references tenant,
  domain text not null,
  status text not null check (status in ('registered', 'removed')),
  version integer not null check (version > 0),
  changed_at timestamptz not null,
  primary key (tenant_id, domain)
);

-- How the widget and the attribution script show themselves. One document, since nothing is searched by it,
-- complete as in the record; a tenant without a row has the defaults of the contract. json and not jsonb: it
-- takes every text that a record may hold.
create table widget_settings (
  tenant_id text primary key references tenant,
  settings json not null,
  version integer not null check (version > 0),
  changed_at timestamptz not null
);

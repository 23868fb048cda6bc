-- Tenants as the catalog describes them: to one that is suspended nothing is sent, and nothing of it is given up.
create table tenant (
  tenant_id text primary key,
  version integer not null,
  suspended boolean not null,
  -- When it was last resumed: what waited for that is given up a whole horizon later.
  resumed_at timestamptz
);

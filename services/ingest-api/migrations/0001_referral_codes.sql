-- Up Migration

-- Projection of the codes topic for look-up (interface 4.5). Only the state with the highest
-- version is kept; a stale record changes nothing.
create table referral_code (
  tenant_id text not null,
  ucc text not null,
  version integer not null,
  status text not null check (status in ('issued', 'disabled')),
  campaign_id text not null,
  product_user_id text not null,
  primary key (tenant_id, ucc)
);

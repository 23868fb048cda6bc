-- Up Migration

-- What operators withheld, and may release in bulk: few.
create index entitlement_withheld on entitlement (tenant_id, received_at, reward_id)
  where state = 'withheld';

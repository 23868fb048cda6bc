-- Up Migration

-- The balance of a recipient sums all that it has, of which one may have tens of thousands: an index that holds what is summed
-- answers without the rows.
drop index reward_recipient, issuance_recipient;
create index reward_recipient on reward (tenant_id, recipient_id, recorded_at)
  include (reward_id, campaign_id, state, reviewed, entitled, issued, granted);
create index issuance_recipient on issuance (tenant_id, recipient_id, issued_at)
  include (campaign_id, credits);

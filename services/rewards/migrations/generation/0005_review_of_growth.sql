-- Up Migration

-- What an operator releases in bulk: rewards in review, and what settled ones have grown by under a
-- revision that was published later.
drop index entitlement_review;
create index entitlement_review on entitlement (tenant_id, received_at, reward_id)
  where state = 'review' or (state = 'issued' and issued < entitled and action is null
    and json_array_length(reviews) > 0);

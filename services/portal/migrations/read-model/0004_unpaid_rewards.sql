-- Up Migration

-- Settled rewards that were not issued in full: what they have grown by may wait for an operator, or
-- be paid next. Balances and the list of what is in review look for them (reward-standing.ts).
create index reward_settled_unpaid on reward (tenant_id, recipient_id)
  where state = 'issued' and (record ->> 'issuedCredits')::numeric < entitled;

-- Up Migration

-- The row of a fact names the decisions about it: who holds it in `decision_id`, and here all others
-- that have claimed it, as a list; null for none, as nearly always. No index of decisions by fact is
-- needed then.
alter table step add column other_decisions json;
update step set other_decisions = others.ids
from (
  select tenant_id, business_key, json_agg(decision.decision_id) as ids
  from decision join step using (tenant_id, business_key)
  where decision.decision_id is distinct from step.decision_id
  group by tenant_id, business_key
) as others
where step.tenant_id = others.tenant_id and step.business_key = others.business_key;
drop index decision_business_key;

-- Half of a digest, as 16 bytes and not as 43 characters, is as good a name as the ids of rewards are.
create function short_digest(digest text) returns uuid language sql immutable as $$
  select encode(substring(decode(translate(digest, '-_', '+/') || '=', 'base64') for 16), 'hex')::uuid
$$;
drop index step_referral, step_lane, tier_user_place, limited_reward_place, limited_reward_busy;
alter table step
  alter column lane type uuid using short_digest(lane),
  alter column referral type uuid using short_digest(referral);
alter table tier_lane alter column lane type uuid using short_digest(lane);
alter table tier_user alter column lane type uuid using short_digest(lane);
alter table limited_reward alter column series type uuid using short_digest(series);
alter table meter alter column series type uuid using short_digest(series);
drop function short_digest;

-- A place begins with its second and when it was received, in 41 characters of the times of our days,
-- some more with a fraction; what is alike so far is compared whole.
create index step_referral on step (referral) where referral is not null;
create index step_lane on step (lane, left(place, 48)) where lane is not null;
create index tier_user_place on tier_user (lane, left(place, 48));
create index limited_reward_place on limited_reward (series, is_idle, left(place, 48));

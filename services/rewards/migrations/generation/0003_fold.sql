-- Up Migration

-- Where a fact stands in the canonical order, as text that sorts so (domain/place.ts).
create function place_of(seconds text, received_at text, event_id text) returns text
language sql immutable as $$
  select case when whole < 0
      then '0' || translate(lpad(length((-whole)::text)::text, 5, '0') || (-whole)::text,
        '0123456789', '9876543210')
      else '1' || lpad(length(whole::text)::text, 5, '0') || whole::text end
    || rtrim(split_part((exact - whole)::text, '.', 2), '0')
    || ' ' || received_at || ' ' || event_id
  from (select seconds::numeric as exact, floor(seconds::numeric) as whole) as moment
$$;

-- The business facts that count: who referred whom in which campaign. One row per fact, which is
-- also its lock, so it stays, all null, when the fact stops counting. Lane and referral are digests
-- of [tenant, campaign, referrer] and of the same with the new user: ids are too long for an index.
create table step (
  tenant_id text not null,
  business_key text not null,
  campaign_id text,
  referrer_id text,
  new_user_id text,
  decision_id text,
  place text collate "C",
  is_purchase boolean,
  is_standing boolean,
  lane text,
  referral text,
  primary key (tenant_id, business_key),
  check ((campaign_id is null) = (lane is null))
);

create index step_referral on step (referral) where referral is not null;
-- A place may be longer than an index takes; rows that are alike so far are compared whole.
create index step_lane on step (lane, left(place, 1200)) where lane is not null;

-- What was decided before there were steps. Revisions of that time looked back at nothing.
insert into step
select distinct on (tenant_id, business_key) tenant_id, business_key, campaign_id,
  record ->> 'referrerId', record ->> 'newUserId', decision_id,
  place_of(record ->> 'occurredAtSeconds', record ->> 'receivedAt', record ->> 'eventId'),
  record ->> 'eventType' = 'purchase-created', record ->> 'eventType' = 'purchase-created',
  lane_of, referral_of
from decision
cross join lateral (
  select translate(rtrim(encode(sha256(convert_to(lane, 'UTF8')), 'base64'), '='), '+/', '-_')
      as lane_of,
    translate(rtrim(encode(sha256(convert_to(referral, 'UTF8')), 'base64'), '='), '+/', '-_')
      as referral_of
  from (select
      '[' || to_json(tenant_id)::text || ',' || to_json(campaign_id)::text || ','
        || (record -> 'referrerId')::text || ']' as lane,
      '[' || to_json(tenant_id)::text || ',' || to_json(campaign_id)::text || ','
        || (record -> 'referrerId')::text || ',' || (record -> 'newUserId')::text || ']'
        as referral) as names
) as digests
where status = 'folded' and record ->> 'outcome' = 'attributed' and campaign_id is not null
  and record ->> 'referrerId' is not null and record ->> 'eventType' <> 'purchase-refunded'
order by tenant_id, business_key,
  place_of(record ->> 'occurredAtSeconds', record ->> 'receivedAt', record ->> 'eventId')
    collate "C";

-- Users that count for a referrer's tiers, by their first purchase that stands; kept for lanes of
-- campaigns with tiers only, from the first time they are asked about.
create table tier_lane (
  lane text primary key,
  -- [[threshold, place], …] as of the last fold.
  boundaries json not null
);
create table tier_user (
  lane text not null,
  new_user_id text not null,
  place text collate "C" not null,
  primary key (lane, new_user_id)
);
create index tier_user_place on tier_user (lane, left(place, 1200));

-- Rewards under a limit per recipient: what they wanted and got when they were last counted. A
-- series is a digest of [tenant, campaign, recipient, rule, role].
create table limited_reward (
  reward_id uuid primary key,
  series text not null,
  tenant_id text not null,
  campaign_id text not null,
  recipient_id text not null,
  rule_id text not null,
  recipient_role text not null,
  business_key text not null,
  place text collate "C" not null,
  counted json not null,
  -- Got nothing because there was no room at all.
  is_idle boolean not null
);
create index limited_reward_place on limited_reward (series, left(place, 1200));
create index limited_reward_busy on limited_reward (series, left(place, 1200)) where not is_idle;
create index limited_reward_fact on limited_reward (tenant_id, business_key);

-- One limit in one period. Credits are in millionths, counts are counts.
create table meter (
  series text not null,
  name text not null,
  wanted numeric not null,
  cap numeric not null,
  used numeric not null,
  last_place text collate "C" not null,
  primary key (series, name)
);

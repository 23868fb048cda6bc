-- Up Migration

-- Who looks for an issuance looks for those of a reward, and its id is derived from that reward, as
-- that of its webhook is from the issuance: one index says all that four said, but for the recipient.
alter table issuance
  drop constraint issuance_pkey,
  drop constraint issuance_webhook_event_id_key,
  add primary key (reward_id, issuance_id);
drop index issuance_reward;

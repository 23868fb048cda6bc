-- Up Migration

-- What operators said about rewards. Facts like issuances: never changed, shared by all
-- generations of the folds; the copy on referral.issuances survives the loss of this schema.
create table reward_action (
  action_id uuid primary key,
  reward_id uuid not null,
  tenant_id text not null,
  recipient_id text not null,
  sequence integer not null check (sequence > 0),
  record json not null,
  unique (reward_id, sequence)
);

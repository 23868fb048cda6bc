-- Up Migration

-- The sentences, tests and calculation of a reward are one list (db/reward-texts.ts). Rows of the
-- release before have the sentences in it, and the others in columns of their own, which are null in
-- a row of this one.
alter table entitlement rename column explanation to texts;
alter table entitlement
  alter column tests drop not null,
  alter column tests drop default,
  alter column calculation drop not null,
  alter column calculation drop default;

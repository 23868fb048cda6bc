-- Up Migration

-- What is earned is told apart from what is kept back. A reward that grows after it was issued, under
-- a revision that was published later, keeps the growth back until an operator releases it; that it
-- is to be looked at stands in its record, that it was released in a fact of referral.issuances.
alter table reward add column reviewed boolean;

-- The rows that are there do not know it, so the topic of rewards is read again from its start: each
-- row is written anew by the record that made it, and until then shows what it showed before. A process of the
-- release before this one cannot write here any more: what it would write does not know it either.
alter table reward add constraint reward_reviewed check (reviewed is not null) not valid;
update projection_position
set next_offset = 0, last_digest = null, epoch = epoch + 1
where topic ~ 'referral\.rewards(\.g[0-9]+)?$';

-- The last word of an operator on a reward, the one of the highest sequence.
create table reward_action (
  reward_id text collate "C" primary key,
  sequence integer not null,
  type text not null check (type in ('released', 'withheld'))
);

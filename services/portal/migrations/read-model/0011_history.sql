-- Up Migration

-- From when on each row was known: when the log got its record. What is there is read again.
truncate event, decision, undecided, reward, issuance, reward_action, delivery, delivery_action,
  code_change, campaign_revision, class, day_tally;

-- Made by a decision, it is the decision's until the fact is read.
alter table event add column recorded_at bigint not null;
-- That of the version.
alter table decision add column recorded_at bigint not null;
-- That of the version; recorded_at is that of the first one.
alter table reward add column changed_at bigint not null;
alter table issuance add column recorded_at bigint not null;
alter table reward_action add column recorded_at bigint not null;
alter table delivery add column recorded_at bigint not null;
alter table delivery_action add column recorded_at bigint not null;
alter table code_change add column recorded_at bigint not null;
alter table campaign_revision add column recorded_at bigint not null;

-- Versions that are current no more. A row is moved here when it is replaced, whole: whoever adds a
-- column to one of the tables adds it to the other, too, in the same place.
create table decision_version (like decision, primary key (event_id, version));
create index decision_version_duplicate_of on decision_version (duplicate_of)
  where duplicate_of is not null;
create index decision_version_refund_of on decision_version (refund_of)
  where refund_of is not null;

create table reward_version (like reward, primary key (reward_id, version));
create index reward_version_recipient on reward_version (tenant_id, recipient_id);
create index reward_version_event on reward_version (event_id);

create function keep_decision_version() returns trigger language plpgsql as $$
begin
  insert into decision_version select old.* on conflict do nothing;
  return null;
end $$;

create trigger keep_version after update on decision for each row
  when (old.version < new.version) execute function keep_decision_version();

create function keep_reward_version() returns trigger language plpgsql as $$
begin
  insert into reward_version select old.* on conflict do nothing;
  return null;
end $$;

create trigger keep_version after update on reward for each row
  when (old.version < new.version) execute function keep_reward_version();

do $$
begin
  if to_regclass('projection_position') is not null then
    delete from projection_position where projection = 'portal';
  end if;
end $$;

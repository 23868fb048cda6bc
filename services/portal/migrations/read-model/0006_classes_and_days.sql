-- Up Migration

-- What an event leaves here is read again from the first record: decisions and rewards get their class, and days
-- are counted from the beginning.
truncate event, decision, undecided, reward, issuance, reward_action, delivery, delivery_action;

-- A class is a combination of those members that have few values each: of a decision its type, source, outcome,
-- reason and campaign. Any filter of them is a handful of classes, whose rows one index has in the order of
-- lists; and how many there are of each on a day is counted as they are written, so that nobody has to look at
-- all of them (decision 50).
create table class (
  class bigint primary key,
  kind text not null check (kind in ('decision', 'reward', 'issuance', 'delivery')),
  tenant_id text not null,
  event_type text,
  source text,
  -- Of a decision, or of an attempt.
  outcome text,
  reason text,
  campaign_id text,
  rule_id text,
  recipient_role text,
  -- As people are shown it.
  state text
);

create index class_tenant on class (tenant_id, kind);

-- The same of the same parts everywhere, so that nobody has to ask which number a class has.
create function class_of(variadic parts text[]) returns bigint language sql stable as $$
  select ('x' || left(md5(array_to_string(parts, E'\x1f', E'\x1e')), 16))::bit(64)::bigint
$$;

alter table decision add column class bigint not null;
alter table reward add column class bigint not null;

drop index event_type, decision_campaign, decision_outcome, decision_reason, reward_campaign, reward_state;
create index decision_class on decision (class, received_at);
create index reward_class on reward (class, recorded_at);

-- What of settled rewards may wait for an operator.
create index reward_settled_reviewed on reward (tenant_id, recorded_at)
  where state = 'issued' and issued < entitled and reviewed;
create index reward_action_withheld on reward_action (tenant_id, reward_id) where type = 'withheld';

-- How many there are of a class on a UTC day, and their credits. What is counted may also change: a held reward
-- that is issued leaves one class for another. A row is in parts, so that few wait for each other.
create table day_tally (
  class bigint not null,
  -- 20261123
  day integer not null,
  part smallint not null,
  members bigint not null,
  -- What rewards entitle to, or what was issued.
  credits numeric not null default 0,
  -- What refunds and withdrawals took of it.
  taken numeric not null default 0,
  -- What of it was not issued.
  open numeric not null default 0,
  primary key (class, day, part)
) with (fillfactor = 60);

-- Whoever counts in one part waits for who counts there already: they may meet in several rows, each
-- in an order of its own.
create function tally_part() returns smallint language plpgsql as $$
declare
  part smallint := pg_backend_pid() % 8;
begin
  perform pg_advisory_xact_lock(hashtext('day_tally'), part);
  return part;
end
$$;

create function tally_decisions() returns trigger language plpgsql as $$
declare
  own_part smallint;
begin
  if not exists (select from written) then
    return null;
  end if;
  insert into class (class, kind, tenant_id, event_type, source, outcome, reason, campaign_id)
  select distinct on (class) class, 'decision', tenant_id, event_type, source, outcome, reason, campaign_id
  from (
    select written.class, written.tenant_id, event_type, source, outcome, reason, campaign_id
    from written join event using (event_id)
    where not exists (select from class where class.class = written.class)
  ) as unknown
  order by class
  on conflict do nothing;
  own_part := tally_part();
  if tg_op = 'INSERT' then
    insert into day_tally as tally (class, day, part, members)
    select class, received_at / 1000000000, own_part, count(*) from written
    group by 1, 2 order by 1, 2
    on conflict (class, day, part) do update set members = tally.members + excluded.members;
  else
    insert into day_tally as tally (class, day, part, members)
    select class, received_at / 1000000000, own_part, sum(change) from (
      select class, received_at, 1 as change from written
      union all select class, received_at, -1 from previous) as changed
    group by 1, 2 having sum(change) <> 0 order by 1, 2
    on conflict (class, day, part) do update set members = tally.members + excluded.members;
  end if;
  return null;
end
$$;

create trigger decision_tally_new after insert on decision
  referencing new table as written
  for each statement execute function tally_decisions();
create trigger decision_tally_changed after update on decision
  referencing new table as written old table as previous
  for each statement execute function tally_decisions();

create function tally_rewards() returns trigger language plpgsql as $$
declare
  own_part smallint;
begin
  if not exists (select from written) then
    return null;
  end if;
  insert into class (class, kind, tenant_id, campaign_id, rule_id, recipient_role, state)
  select distinct on (class) class, 'reward', tenant_id, campaign_id, rule_id, recipient_role,
    case when capped then 'capped' else state end
  from written
  where not exists (select from class where class.class = written.class)
  order by class
  on conflict do nothing;
  own_part := tally_part();
  if tg_op = 'INSERT' then
    insert into day_tally as tally (class, day, part, members, credits, taken, open)
    select class, recorded_at / 1000000000, own_part, count(*), sum(entitled),
      sum(greatest(granted - entitled, 0)), sum(greatest(entitled - issued, 0))
    from written group by 1, 2 order by 1, 2
    on conflict (class, day, part) do update set members = tally.members + excluded.members,
      credits = tally.credits + excluded.credits, taken = tally.taken + excluded.taken,
      open = tally.open + excluded.open;
  else
    insert into day_tally as tally (class, day, part, members, credits, taken, open)
    select class, recorded_at / 1000000000, own_part, sum(change), sum(change * entitled),
      sum(change * greatest(granted - entitled, 0)), sum(change * greatest(entitled - issued, 0))
    from (
      select class, recorded_at, entitled, granted, issued, 1 as change from written
      union all select class, recorded_at, entitled, granted, issued, -1 from previous) as changed
    group by 1, 2 order by 1, 2
    on conflict (class, day, part) do update set members = tally.members + excluded.members,
      credits = tally.credits + excluded.credits, taken = tally.taken + excluded.taken,
      open = tally.open + excluded.open;
  end if;
  return null;
end
$$;

create trigger reward_tally_new after insert on reward
  referencing new table as written
  for each statement execute function tally_rewards();
create trigger reward_tally_changed after update on reward
  referencing new table as written old table as previous
  for each statement execute function tally_rewards();

-- Each is written once.
create function tally_issuances() returns trigger language plpgsql as $$
declare
  own_part smallint;
begin
  if not exists (select from written) then
    return null;
  end if;
  insert into class (class, kind, tenant_id, campaign_id)
  select distinct class_of('issuance', tenant_id, campaign_id), 'issuance', tenant_id, campaign_id
  from written order by 1
  on conflict do nothing;
  own_part := tally_part();
  insert into day_tally as tally (class, day, part, members, credits)
  select class_of('issuance', tenant_id, campaign_id), issued_at / 1000000000, own_part, count(*),
    sum(credits)
  from written group by 1, 2 order by 1, 2
  on conflict (class, day, part) do update set members = tally.members + excluded.members,
    credits = tally.credits + excluded.credits;
  return null;
end
$$;

create trigger issuance_tally after insert on issuance
  referencing new table as written
  for each statement execute function tally_issuances();

-- Attempts. Those that are forgotten stay counted.
create function tally_deliveries() returns trigger language plpgsql as $$
declare
  own_part smallint;
begin
  if not exists (select from written) then
    return null;
  end if;
  insert into class (class, kind, tenant_id, outcome)
  select distinct class_of('delivery', tenant_id, outcome), 'delivery', tenant_id, outcome
  from written order by 1
  on conflict do nothing;
  own_part := tally_part();
  if tg_op = 'INSERT' then
    insert into day_tally as tally (class, day, part, members)
    select class_of('delivery', tenant_id, outcome), started_at / 1000000000, own_part, count(*)
    from written group by 1, 2 order by 1, 2
    on conflict (class, day, part) do update set members = tally.members + excluded.members;
  else
    insert into day_tally as tally (class, day, part, members)
    select class_of('delivery', tenant_id, outcome), started_at / 1000000000, own_part, sum(change)
    from (
      select tenant_id, outcome, started_at, 1 as change from written
      union all select tenant_id, outcome, started_at, -1 from previous) as changed
    group by 1, 2 having sum(change) <> 0 order by 1, 2
    on conflict (class, day, part) do update set members = tally.members + excluded.members;
  end if;
  return null;
end
$$;

create trigger delivery_tally_new after insert on delivery
  referencing new table as written
  for each statement execute function tally_deliveries();
create trigger delivery_tally_changed after update on delivery
  referencing new table as written old table as previous
  for each statement execute function tally_deliveries();

-- Without the parts, and without what is nothing: the same of the same rows, in whatever order they came.
create view tally as
select kind, tenant_id, event_type, source, outcome, reason, campaign_id, rule_id, recipient_role,
  state, class.class, day, sum(members) as members, trim_scale(sum(credits)) as credits,
  trim_scale(sum(taken)) as taken, trim_scale(sum(open)) as open
from day_tally join class using (class)
group by class.class, day
having sum(members) <> 0 or sum(credits) <> 0 or sum(taken) <> 0 or sum(open) <> 0;

-- What is searched by its beginning: sorted by its bytes, whatever the database goes by.
alter table event alter column new_user_id type text collate "C";
alter table code_change alter column ucc type text collate "C",
  alter column product_user_id type text collate "C";
alter table person alter column user_id type text collate "C";
create index person_email on person (tenant_id, (lower(email) collate "C"), user_id)
  where email is not null;
create index person_name on person (tenant_id, (lower(name) collate "C"), user_id)
  where name is not null;
-- Of a name of several words the last is what people are looked for by.
create index person_last_name on person
  (tenant_id, (regexp_replace(lower(name), '^.*\s', '') collate "C"), user_id)
  where name ~ '\s';
create index code_change_disabled on code_change (tenant_id, ucc)
  where record ->> 'type' = 'code-disabled';

do $$
begin
  if to_regclass('projection_position') is not null then
    delete from projection_position where projection = 'portal';
  end if;
end $$;

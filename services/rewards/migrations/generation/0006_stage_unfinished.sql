-- Up Migration

-- What whoever changes or removes generations may know of this one (decision 30).
create view stage_unfinished as
select
  (select count(*) from decision where status = 'waiting-for-revision') as open,
  (select count(*) from outbox) as unsent,
  (select count(*) from recipient where undecided_reason is not null) as undecided;

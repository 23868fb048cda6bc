-- Up Migration

-- What whoever changes or removes generations may know of this one (decision 30).
create view stage_unfinished as
select
  (select count(*) from refold) as open,
  (select count(*) from outbox) as unsent,
  (select count(*) from decision where outcome = 'undecided') as undecided;

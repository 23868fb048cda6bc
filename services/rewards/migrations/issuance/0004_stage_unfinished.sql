-- Up Migration

-- What whoever changes generations may know of the facts that all of them share (decision 30).
create view stage_unfinished as
select 0 as open, (select count(*) from issuance_outbox) as unsent, 0 as undecided;

-- Up Migration

-- All that these migrations change, in the order in which transactions lock it.
lock table fact, claim, decision in access exclusive mode;

-- A decision keeps the digest of its content instead of its record (decision 39): all that is asked
-- is whether a fold comes to the same. The checksum is that of the other columns and tells when one
-- of them was changed by hand. Rows of the release before keep their record until they are written
-- again. The old name is gone so that a process of that release writes nothing by its own rules.
alter table decision rename column record to former_record;
alter table decision
  alter column former_record drop not null,
  add column digest bytea,
  add column checksum integer,
  add constraint decision_kept
    check (num_nulls(former_record, digest) = 1 and num_nulls(former_record, checksum) = 1)
    not valid;

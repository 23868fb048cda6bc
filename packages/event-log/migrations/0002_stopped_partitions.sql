-- Up Migration

-- Why a partition is not read on until a person comes: `refused` or `newer-schema`; null while it is
-- read. Told to all processes, so that those who wait until the log was read to its end do not wait for
-- it, whoever holds it. A claim takes it back, and the claimant finds out anew.
alter table projection_position add column stopped text;

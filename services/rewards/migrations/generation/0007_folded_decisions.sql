-- Up Migration

-- Nobody of the release before writes between the copies of 0008 and the drops there. In the order in
-- which transactions take their locks.
lock table decision, step, recipient, entitlement, ledger_posting, ledger_entry
  in access exclusive mode;

-- Of a decision only what the fold reads, and nothing that has a column of its own
-- (db/decision-list.ts). Rows of the release before have the whole record, and are read as they are. The
-- name is another so that a process of that release, which cannot read the new form, fails.
alter table decision rename column record to content;

-- Up Migration

-- What was reported, without what the other columns have (decision 39, src/db/fact-row.ts). Rows of
-- the release before keep the whole event. The old name is gone so that a process of that release
-- reads and writes nothing by its own form.
alter table fact rename column record to reported;

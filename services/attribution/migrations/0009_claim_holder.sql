-- Up Migration

-- A claim names the event that holds the key, and the fact of that event has all else (decision 39).
-- Rows of the release before have it here too, until they are written again; nobody reads it.
alter table claim drop constraint claim_check;

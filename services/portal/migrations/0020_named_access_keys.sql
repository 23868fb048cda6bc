-- Up Migration

-- What a key is called by, and who made it, as in the audit list; null of those from before.
alter table access_key add column name text, add column created_by text;

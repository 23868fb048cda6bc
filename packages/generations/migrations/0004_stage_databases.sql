-- Up Migration

-- Which database has the stage's schema, as the server itself names it (decision 40); null: this one.
alter table stage add column database text;

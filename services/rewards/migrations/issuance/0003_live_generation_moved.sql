-- Up Migration

-- Which generation is live is in the registry of generations, which has carried the row over. A
-- process of the release before finds no such table and releases nothing: it is fenced.
drop table live_generation;

-- Up Migration

-- Which transaction left the work. A dry run takes on what it left itself and nothing else, so that
-- it keeps no row from the sweeper.
alter table refold add column made_by xid8 not null default pg_current_xact_id();

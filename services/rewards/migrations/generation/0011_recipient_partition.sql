-- The partition of the decisions that reward it, so that whoever reads them releases it too, and
-- nobody else waits for its row. Null: not known; anybody may.
alter table recipient add column partition integer;

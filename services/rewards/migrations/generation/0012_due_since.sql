-- Since when nobody has released the recipient although it was due, by this server's clock. Who
-- folds it releases it at once; others only when that has not happened for a while (decision 41).
-- Null in rows from before: anybody may.
alter table recipient add column due_since timestamptz;

-- Up Migration

-- False of a row that stands for claims of workers that died, whose deliveries wait until a stopped
-- partition was read. These claims are in no endpoint's in_flight: nothing is being sent, and others
-- must not wait for room meanwhile.
alter table worker add column takes_room boolean not null default true;

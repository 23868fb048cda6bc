-- Up Migration

-- Where a projection stands in each partition. Lives beside the rows it produced, so that position
-- and rows commit together. `epoch` fences: whoever claims a partition raises it, and a batch only
-- commits while its epoch is still the current one. `last_digest` proves the position: the record
-- at next_offset - 1 must still have this digest, or the topic is not the one we read.
create table projection_position (
  projection text not null,
  topic text not null,
  partition integer not null,
  next_offset bigint not null default 0,
  last_digest bytea,
  epoch bigint not null default 0,
  updated_at timestamptz not null default now(),
  primary key (projection, topic, partition)
);

-- Records that a committed transaction wants on the log. Written in that transaction, removed after
-- the broker's ack. One active relay per lane; a lane is a hash of topic and key.
create table outbox (
  id bigint generated always as identity primary key,
  lane smallint not null,
  topic text not null,
  key text not null,
  value text,
  created_at timestamptz not null default now()
);

create index outbox_lane on outbox (lane, id);

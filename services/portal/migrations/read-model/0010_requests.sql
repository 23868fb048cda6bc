-- Up Migration

-- Requests that were refused alike within a moment; kept for seven days.
create table refused_request (
  request_id uuid primary key,
  -- When the last of them was refused.
  at bigint not null,
  status integer not null,
  tenant_id text not null,
  route text not null,
  code text,
  access_key_id text,
  record json not null
);

create index refused_request_newest on refused_request (tenant_id, at);
create index refused_request_at on refused_request (at);

-- How many more there were than are kept one by one.
create table omitted_requests (
  refusal_id uuid primary key,
  at bigint not null,
  count integer not null,
  tenant_id text not null
);

create index omitted_requests_of on omitted_requests (tenant_id, at);

-- The days (in UTC) on which events were accepted with a token of an access key.
create table access_key_use (
  tenant_id text not null,
  access_key_id text not null,
  day date not null,
  primary key (tenant_id, access_key_id, day)
);

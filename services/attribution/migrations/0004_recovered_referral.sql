-- Up Migration

-- Whether only a browser told of it (source widget): any fact of a backend goes before it. The first
-- releases knew of none.
alter table referral add column recovered boolean not null default false;

-- Up Migration

-- What a revision says beyond its name, times, scale and rules: the window of attribution, loops, existing
-- users, how rules match, the discount of new users. One document, since nothing is searched by it, with
-- the members of the record. Of revisions from before: nothing, so that the defaults of the contract hold.
alter table campaign_revision add column settings jsonb not null default '{}';

-- Which code attributes an event. A tenant's record carries it with the time it holds from.
alter table tenant add column attribution_mode text not null default 'event-code'
  check (attribution_mode in ('event-code', 'first-code'));

-- A disabled code stays its owner's, and stays disabled.
alter table code add column disabled_at timestamptz;

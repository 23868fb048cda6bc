-- Up Migration

-- How an amount came about, and what it waits for.
alter table entitlement
  add column new_user_id text,
  add column occurred_at text,
  add column tests json not null default '[]',
  add column calculation json not null default '[]',
  -- UTC with milliseconds as text, like every time of the log; null: at once.
  add column matures_at text,
  add column reviews json not null default '[]',
  add column action text check (action in ('released', 'withheld'));

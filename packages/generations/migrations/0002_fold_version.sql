-- Up Migration

-- By which rules a generation folds, from its first record to its end (decision 16). What there was
-- before has the first ones, and so has what a process of an older release registers.
alter table generation add column fold_version integer not null default 1 check (fold_version > 0);

-- A new deployment begins with the rules of this release: its registry was made by this very run of
-- migrations, and nothing was folded before.
update generation set fold_version = 2
where created_at = now()
  and not exists (select from pg_class where relname = 'referred_user' and relkind = 'r');

-- Up Migration

-- Since when a tenant is suspended without a break; null: it is not. Of one that is suspended now
-- nobody knows any more.
alter table tenant add column suspended_at timestamptz;
update tenant set suspended_at = now() where status = 'suspended';

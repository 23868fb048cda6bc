-- Every reward that a preview changes, told apart by amounts. `before` and `after` are entitled
-- credits; `magnitude` is the absolute difference, by which pages are ordered.
create table preview_change (
  job_id uuid not null references job on delete cascade,
  change_id bigint generated always as identity,
  kind text not null check (kind in ('new', 'withdrawn', 'changed')),
  to_review boolean not null,
  tenant_id text not null,
  reward_id text not null,
  recipient_id text not null,
  campaign_id text not null,
  rule_id text not null,
  recipient_role text not null,
  month text not null,
  before numeric not null,
  after numeric not null,
  magnitude numeric not null,
  primary key (job_id, change_id)
);

create index preview_change_page on preview_change (job_id, magnitude desc, change_id);
create index preview_change_recipient on preview_change (job_id, recipient_id);

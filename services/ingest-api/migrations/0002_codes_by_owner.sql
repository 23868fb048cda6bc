-- Up Migration

-- The active link of a user (interface 4.6) needs a user's codes, and which is the newest.
--
-- `at` is of the record whose version the row has. Rows of the first release do not have it, so the
-- projection is read again from the start of the log: each row gets its `at` from the record that made
-- it, and keeps answering look-ups meanwhile. The higher epoch fences whoever still reads on.
alter table referral_code add column at text collate "C";

-- Not valid: rows that wait for their record stay. What is written from now on has it, so a replica
-- of the first release that still runs cannot move a position past a record it does not fill in.
alter table referral_code
  add constraint referral_code_at_known check (at is not null) not valid;

update projection_position
   set next_offset = 0, last_digest = null, epoch = epoch + 1, updated_at = now();

create index referral_code_owner on referral_code (tenant_id, product_user_id)
  where status = 'issued';

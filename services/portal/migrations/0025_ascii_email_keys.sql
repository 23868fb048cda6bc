-- Up Migration

-- The key of an e-mail folds the letters of ASCII and no others (C knows none but these). It tells more
-- addresses apart than before, so no two accounts meet.
update account set email_key = lower(email collate "C")
where email_key is distinct from lower(email collate "C");

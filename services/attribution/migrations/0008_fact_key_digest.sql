-- Up Migration

-- By the digest of the key, which is long and has the tenant in it; who looks for a key compares it
-- too. The facts of one key are few enough to be sorted when they are read page by page.
create index fact_business_key_digest on fact (hashtextextended(business_key, 0));
drop index fact_business_key;

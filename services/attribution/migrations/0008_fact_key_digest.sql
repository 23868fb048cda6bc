-- Up Migration

-- By the digest of the key, which is long and has the tenant in it; who looks for a key compares it
-- too. Nobody reads the facts of a key in the order of their ids but page by page, from the digest.
create index fact_business_key_digest on fact (hashtextextended(business_key, 0));
drop index fact_business_key;

import type pg from 'pg';

/** What samples name of a tenant; nothing of it is secret. Null: the tenant has none. */
export type ExampleIds = {
  tenantId: string;
  accessKeyId: string | null;
  campaignId: string | null;
  ucc: string | null;
};

/** The first access key, campaign and code of an active tenant. */
export async function readExampleIds(
  db: Pick<pg.Pool, 'query'>,
  tenantId: string,
): Promise<ExampleIds | undefined> {
  const { rows } = await db.query<ExampleIds>(
    `select tenant_id as "tenantId",
       (select access_key_id from access_key
        where access_key.tenant_id = tenant.tenant_id and status = 'active'
        order by created_at, access_key_id limit 1) as "accessKeyId",
       (select campaign_id from campaign_revision
        where campaign_revision.tenant_id = tenant.tenant_id
        order by created_at, campaign_id limit 1) as "campaignId",
       (select ucc from code
        where code.tenant_id = tenant.tenant_id and disabled_at is null
        order by issued_at, ucc limit 1) as "ucc"
     from tenant where tenant_id = $1 and status = 'active'`,
    [tenantId],
  );
  return rows[0];
}

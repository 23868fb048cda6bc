import type { RingPurpose } from '@tributary/runtime/key-rings';
import type pg from 'pg';

/** Every sealed text of these tables, with its purpose and where it is. */
const sealed = `select 'product-secrets' as purpose, tenant_id, null as connection_id,
    null::uuid as account_id, sealed_secret as text
  from product_secret
  union all
  select 'webhook-passwords', tenant_id, null, null, text
  from webhook_endpoint
    cross join lateral (values (sealed_password), (previous_sealed_password)) as v (text)
  union all
  select 'processor-keys', tenant_id, connection_id, null, text
  from processor_connection
    cross join lateral (values (sealed_api_key), (endpoint_sealed_secret),
      (previous_sealed_secret)) as v (text)
  union all
  select 'second-factors', null, null, account_id, totp_sealed_secret from account`;

/** How many texts each key has sealed. */
export async function countSealed(
  pool: pg.Pool,
): Promise<{ purpose: RingPurpose; keyId: string; secrets: number }[]> {
  const { rows } = await pool.query<{ purpose: RingPurpose; keyId: string; secrets: number }>(
    `select purpose, split_part(text, '.', 2) as "keyId", count(*)::integer as secrets
     from (${sealed}) as sealed where text is not null group by 1, 2 order by 1, 2`,
  );
  return rows;
}

export type SealedPlace =
  | { purpose: 'product-secrets' | 'webhook-passwords'; tenantId: string }
  | { purpose: 'processor-keys'; tenantId: string; connectionId: string }
  | { purpose: 'second-factors'; accountId: string };

/** Where texts are that these keys have sealed, each `purpose:keyId`. */
export async function listSealedBy(
  pool: pg.Pool,
  keys: readonly string[],
  limit: number,
): Promise<SealedPlace[]> {
  const { rows } = await pool.query<SealedPlace>(
    `select distinct purpose, tenant_id as "tenantId", connection_id as "connectionId",
       account_id as "accountId"
     from (${sealed}) as sealed
     where purpose || ':' || split_part(text, '.', 2) = any ($1)
     order by 1, 2, 3, 4 limit $2`,
    [keys, limit],
  );
  return rows;
}

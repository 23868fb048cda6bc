import type { IssuedCode } from '@tributary/contracts/active-code';
import type { CodeRecord } from '@tributary/contracts/code-record';
import type { Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';

/** Keeps the higher version; of two publications of one ucc the first one wins (design 7). */
export async function upsertReferralCodes(tx: Tx, records: readonly CodeRecord[]): Promise<void> {
  await tx.query(
    `insert into owned_code
       (tenant_id, ucc, version, status, campaign_id, product_user_id, at)
     select * from unnest(
       $1::text[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::text[], $7::text[])
     on conflict (tenant_id, ucc) do update
       set version = excluded.version,
           status = excluded.status,
           campaign_id = excluded.campaign_id,
           product_user_id = excluded.product_user_id,
           at = excluded.at
       where owned_code.version < excluded.version`,
    [
      records.map((r) => r.tenantId),
      records.map((r) => r.ucc),
      records.map((r) => r.version),
      records.map((r) => (r.type === 'code-issued' ? 'issued' : 'disabled')),
      records.map((r) => r.campaignId),
      records.map((r) => r.productUserId),
      records.map((r) => r.at),
    ],
  );
}

export type ReferralCodeRow = {
  status: 'issued' | 'disabled';
  campaignId: string;
  productUserId: string;
};

export async function findReferralCode(
  db: pg.Pool | Tx,
  tenantId: string,
  ucc: string,
): Promise<ReferralCodeRow | undefined> {
  const { rows } = await db.query<ReferralCodeRow>(
    `select status, campaign_id as "campaignId", product_user_id as "productUserId"
       from owned_code
      where tenant_id = $1 and ucc = $2`,
    [tenantId, ucc],
  );
  return rows[0];
}

/** Of each campaign in which the user has a code that is not disabled, the one issued last. */
export async function newestCodes(
  db: pg.Pool | Tx,
  tenantId: string,
  productUserId: string,
): Promise<IssuedCode[]> {
  const { rows } = await db.query<IssuedCode>(
    `select distinct on (campaign_id)
            ucc, campaign_id as "campaignId", at as "issuedAt"
       from owned_code
      where tenant_id = $1 and product_user_id = $2 and status = 'issued'
      order by campaign_id, at desc, ucc`,
    [tenantId, productUserId],
  );
  return rows;
}

import type { CodeRecord } from '@tributary/contracts/code-record';
import type { Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';

/** Keeps the higher version; of two publications of one ucc the first one wins (design 7). */
export async function upsertReferralCodes(tx: Tx, records: readonly CodeRecord[]): Promise<void> {
  await tx.query(
    `insert into referral_code (tenant_id, ucc, version, status, campaign_id, product_user_id)
     select * from unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::text[])
     on conflict (tenant_id, ucc) do update
       set version = excluded.version,
           status = excluded.status,
           campaign_id = excluded.campaign_id,
           product_user_id = excluded.product_user_id
       where referral_code.version < excluded.version`,
    [
      records.map((r) => r.tenantId),
      records.map((r) => r.ucc),
      records.map((r) => r.version),
      records.map((r) => (r.type === 'code-issued' ? 'issued' : 'disabled')),
      records.map((r) => r.campaignId),
      records.map((r) => r.productUserId),
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
       from referral_code
      where tenant_id = $1 and ucc = $2`,
    [tenantId, ucc],
  );
  return rows[0];
}

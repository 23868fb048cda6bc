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

/**
 * A code that was enabled again by a clock that is ahead is still disabled: events received before
 * that moment do not count (docs/decisions/0023). The first issue counts for earlier events too.
 */
export async function findReferralCode(
  db: pg.Pool | Tx,
  { tenantId, ucc, now }: { tenantId: string; ucc: string; now: Date },
): Promise<ReferralCodeRow | undefined> {
  const { rows } = await db.query<ReferralCodeRow>(
    `select case when ${enabled('$3')} then 'issued' else 'disabled' end as status,
            campaign_id as "campaignId", product_user_id as "productUserId"
       from owned_code
      where tenant_id = $1 and ucc = $2`,
    [tenantId, ucc, now.toISOString()],
  );
  return rows[0];
}

/** The code issued last, for each campaign in which the user has one that is not disabled. */
export async function newestCodes(
  db: pg.Pool | Tx,
  { tenantId, productUserId, now }: { tenantId: string; productUserId: string; now: Date },
): Promise<IssuedCode[]> {
  const { rows } = await db.query<IssuedCode>(
    `select distinct on (campaign_id)
            ucc, campaign_id as "campaignId", at as "issuedAt"
       from owned_code
      where tenant_id = $1 and product_user_id = $2 and ${enabled('$3')}
      order by campaign_id, at desc, ucc`,
    [tenantId, productUserId, now.toISOString()],
  );
  return rows;
}

/** `at` is UTC with milliseconds, so that text sorts as time does. */
function enabled(now: string): string {
  return `(status = 'issued' and (version = 1 or at <= ${now}))`;
}

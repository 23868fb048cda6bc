import type { CodeRecord } from '@tributary/contracts/code-record';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';

/**
 * Codes from their own records: the first on the log to take a ucc has it. Versions come in any
 * order (decision 34). Few statements however many records they are, since there may be as many as
 * users; none waits for a code that is there already.
 */
export async function recoverCodes(tx: Tx, records: readonly CodeRecord[]): Promise<void> {
  if (records.length === 0) return;
  await tx.query(
    `with published as (
       select *
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::timestamptz[])
         as r (tenant_id, ucc, campaign_id, product_user_id, version, at)
     ), inserted as (
       insert into code (tenant_id, ucc, campaign_id, product_user_id, version, issued_at)
       select tenant_id, ucc, campaign_id, product_user_id, 1, at from published
       on conflict (tenant_id, ucc) do nothing
     )
     update code set issued_at = published.at from published
     where code.tenant_id = published.tenant_id and code.ucc = published.ucc
       and code.version > 1 and published.version = 1 and code.issued_at > published.at`,
    columnsOf(
      byVersion(records),
      'tenantId',
      'ucc',
      'campaignId',
      'productUserId',
      'version',
      'at',
    ),
  );
  // Each is there by now; a later version disables the code or enables it again.
  for (const { type, tenantId, ucc, version, at } of records.filter(({ version: v }) => v > 1)) {
    await tx.query(
      `update code set disabled_at = $4, version = $3
       where tenant_id = $1 and ucc = $2 and version < $3`,
      [tenantId, ucc, version, type === 'code-disabled' ? at : null],
    );
  }
}

/** Records of one version stay in the order of the log. */
function byVersion(records: readonly CodeRecord[]): CodeRecord[] {
  return records.toSorted((a, b) => a.version - b.version);
}

import type { CodeRecord } from '@tributary/contracts/code-record';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';

/**
 * Codes from their own records, in the order of the log: the first to take a ucc has it. Two
 * statements however many they are, since there may be as many as users; none waits for a code that
 * is there already.
 */
export async function recoverCodes(tx: Tx, records: readonly CodeRecord[]): Promise<void> {
  if (records.length === 0) return;
  await tx.query(
    `insert into code (tenant_id, ucc, campaign_id, product_user_id, version, issued_at)
     select tenant_id, ucc, campaign_id, product_user_id, 1, at
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
       as r (tenant_id, ucc, campaign_id, product_user_id, at)
     on conflict (tenant_id, ucc) do nothing`,
    columnsOf(records, 'tenantId', 'ucc', 'campaignId', 'productUserId', 'at'),
  );
  // The first version is there by now; a later one disables the code or enables it again.
  for (const { type, tenantId, ucc, version, at } of records.filter(({ version: v }) => v > 1)) {
    await tx.query(
      `update code set disabled_at = $4, version = $3
       where tenant_id = $1 and ucc = $2 and version < $3`,
      [tenantId, ucc, version, type === 'code-disabled' ? at : null],
    );
  }
}

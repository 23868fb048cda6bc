import type { CodeRecord } from '@tributary/contracts/code-record';
import { newestOf } from '@tributary/event-log/newest-of';
import type { Tx } from '@tributary/runtime/postgres';

/**
 * Codes as they are now, and when they were issued. Of several publications of one ucc the first on
 * the log holds: that two replicas issued a user's code at once is seen by nobody.
 */
export async function writeCodes(tx: Tx, records: readonly CodeRecord[]): Promise<void> {
  if (records.length === 0) return;
  const issuedAt = new Map<string, string>();
  for (const record of records) {
    if (record.version === 1 && !issuedAt.has(keyOf(record))) {
      issuedAt.set(keyOf(record), record.at);
    }
  }
  const codes = newestOf(records, keyOf, ({ version }) => version);
  await tx.query({
    name: 'write_codes',
    text: `insert into code (tenant_id, ucc, version, status, campaign_id, product_user_id,
             issued_at, changed_at)
           select tenant_id, ucc, version, status, campaign_id, product_user_id, issued_at,
             changed_at
           from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::text[],
             $7::text[], $8::text[]) as next (tenant_id, ucc, version, status, campaign_id,
             product_user_id, issued_at, changed_at)
           order by tenant_id collate "C", ucc collate "C"
           on conflict (tenant_id, ucc) do update
           set version = greatest(code.version, excluded.version),
             status = ${newer('status')}, campaign_id = ${newer('campaign_id')},
             product_user_id = ${newer('product_user_id')}, changed_at = ${newer('changed_at')},
             issued_at = coalesce(code.issued_at, excluded.issued_at)
           where code.version < excluded.version
             or (code.issued_at is null and excluded.issued_at is not null)`,
    values: [
      codes.map((code) => code.tenantId),
      codes.map((code) => code.ucc),
      codes.map((code) => code.version),
      codes.map((code) => (code.type === 'code-issued' ? 'issued' : 'disabled')),
      codes.map((code) => code.campaignId),
      codes.map((code) => code.productUserId),
      codes.map((code) => issuedAt.get(keyOf(code)) ?? null),
      codes.map((code) => code.at),
    ],
  });
}

function newer(column: string): string {
  return `case when code.version < excluded.version then excluded.${column} else code.${column} end`;
}

function keyOf({ tenantId, ucc }: CodeRecord): string {
  return JSON.stringify([tenantId, ucc]);
}

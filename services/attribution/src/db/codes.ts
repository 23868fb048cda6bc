import type { CodeRecord } from '@tributary/contracts/code-record';
import { recordKey } from '@tributary/contracts/topics';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import { type CodeHistory, toHistory } from '@tributary/attribution-fold/code-history';

/** Stores what is new; of two records with one version the first stays (design 7). */
export async function insertCodes(
  tx: Tx,
  codes: readonly CodeRecord[],
): Promise<{ tenantId: string; ucc: string }[]> {
  const { rows } = await tx.query<{ tenant_id: string; ucc: string }>({
    name: 'insert_codes',
    text: `insert into code (tenant_id, ucc, version, record)
           select tenant_id, ucc, version, record
           from unnest($1::text[], $2::text[], $3::int[], $4::json[])
             with ordinality as published (tenant_id, ucc, version, record, position)
           order by position
           on conflict (tenant_id, ucc, version) do nothing
           returning tenant_id, ucc`,
    values: columnsOf(codes, 'tenantId', 'ucc', 'version', (c) => JSON.stringify(c)),
  });
  const changed = new Map(rows.map((row) => [recordKey(row.tenant_id, row.ucc), row]));
  return [...changed.values()].map((row) => ({ tenantId: row.tenant_id, ucc: row.ucc }));
}

/** By `recordKey(tenantId, ucc)`. */
export async function readCodes(
  tx: Tx,
  codes: readonly { tenantId: string; ucc: string }[],
): Promise<Map<string, CodeHistory>> {
  const { rows } = await tx.query<{ record: CodeRecord }>({
    name: 'read_codes',
    text: `select code.record
           from unnest($1::text[], $2::text[]) as wanted (tenant_id, ucc)
           join code using (tenant_id, ucc)`,
    values: [codes.map((c) => c.tenantId), codes.map((c) => c.ucc)],
  });
  const byCode = Map.groupBy(
    rows.map((row) => row.record),
    (record) => recordKey(record.tenantId, record.ucc),
  );
  return new Map([...byCode].map(([key, records]) => [key, toHistory(records)]));
}

import type { CodeRecord } from '@tributary/contracts/code-record';
import { oneOfEach } from '@tributary/event-log/newest-of';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import type { Recorded } from './recorded.ts';

/** Every change of a code; of two records of one version the first on the log holds. */
export async function writeCodes(tx: Tx, records: readonly Recorded<CodeRecord>[]): Promise<void> {
  if (records.length === 0) return;
  const recorded = oneOfEach(records, ({ record: { tenantId, ucc, version } }) =>
    JSON.stringify([tenantId, ucc, version]),
  );
  const changes = recorded.map(({ record }) => record);
  await tx.query({
    name: 'write_codes',
    text: `insert into code_change
             (tenant_id, ucc, version, product_user_id, changed_at, record, recorded_at)
           select tenant_id, ucc, version, product_user_id, changed_at, record, recorded_at
           from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::json[],
             $7::bigint[]) as next (tenant_id, ucc, version, product_user_id, changed_at, record,
             recorded_at)
           order by tenant_id collate "C", ucc collate "C", version
           on conflict (tenant_id, ucc, version) do nothing`,
    values: [
      ...columnsOf(changes, 'tenantId', 'ucc', 'version', 'productUserId', 'at', (code) =>
        JSON.stringify(code),
      ),
      recorded.map(({ recordedAt }) => recordedAt),
    ],
  });
}

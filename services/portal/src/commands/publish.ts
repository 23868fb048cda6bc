import {
  type CatalogRecord,
  catalogCodec,
  catalogSchemaVersion,
} from '@tributary/contracts/catalog-record';
import { type CodeRecord, codeCodec } from '@tributary/contracts/code-record';
import { recordKey } from '@tributary/contracts/topics';
import { enqueue } from '@tributary/event-log/outbox';
import type { TenantRow } from '../adapters/postgres/tenants.ts';
import type { CatalogTx } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';

/** Puts records of one tenant into the outbox, in the transaction of the change they tell. */
export async function publishCatalog(
  tx: CatalogTx,
  { topics }: Deployment,
  records: readonly CatalogRecord[],
): Promise<void> {
  await enqueue(
    tx,
    records.map((record) => ({
      topic: topics.catalog,
      key: recordKey(record.tenantId),
      value: catalogCodec.encode(record),
    })),
  );
}

export async function publishCode(
  tx: CatalogTx,
  { topics }: Deployment,
  code: CodeRecord,
): Promise<void> {
  const key = recordKey(code.tenantId, code.ucc);
  await enqueue(tx, [{ topic: topics.codes, key, value: codeCodec.encode(code) }]);
}

export function tenantRecord(row: TenantRow, at: Date): CatalogRecord {
  return {
    ...row,
    schemaVersion: catalogSchemaVersion,
    entity: 'tenant',
    publishedAt: at.toISOString(),
  };
}

import {
  type CatalogRecord,
  catalogCodec,
  catalogSchemaVersion,
} from '@tributary/contracts/catalog-record';
import { type CodeRecord, codeCodec } from '@tributary/contracts/code-record';
import { recordKey } from '@tributary/contracts/topics';
import { enqueue } from '@tributary/event-log/outbox';
import type { TenantRow } from '../db/tenants.ts';
import type { CatalogTx } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';

/** A record of the catalog but for what all of them have of the moment they are published. */
export type CatalogChange = Unstamped<CatalogRecord>;
type Unstamped<R> = R extends CatalogRecord ? Omit<R, 'schemaVersion' | 'publishedAt'> : never;

/** Puts a record into the outbox, in the transaction of the change that it tells. */
export async function publishCatalog(
  tx: CatalogTx,
  { topics }: Deployment,
  at: Date,
  change: CatalogChange,
): Promise<void> {
  const stamp = { schemaVersion: catalogSchemaVersion, publishedAt: at.toISOString() } as const;
  const value = catalogCodec.encode({ ...change, ...stamp });
  await enqueue(tx, [{ topic: topics.catalog, key: recordKey(change.tenantId), value }]);
}

export async function publishTenant(
  tx: CatalogTx,
  deployment: Deployment,
  at: Date,
  { eventsPerSecond, removedAt, ...row }: TenantRow,
): Promise<void> {
  const limit = eventsPerSecond === null ? {} : { eventsPerSecond };
  const removal = removedAt === null ? {} : { removedAt: removedAt.toISOString() };
  await publishCatalog(tx, deployment, at, { ...row, ...limit, ...removal, entity: 'tenant' });
}

export async function publishCode(
  tx: CatalogTx,
  { topics }: Deployment,
  code: CodeRecord,
): Promise<void> {
  const key = recordKey(code.tenantId, code.ucc);
  await enqueue(tx, [{ topic: topics.codes, key, value: codeCodec.encode(code) }]);
}

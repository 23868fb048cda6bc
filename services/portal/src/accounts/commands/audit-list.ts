import { auditCodec, auditKey } from '@tributary/contracts/audit-record';
import { enqueue } from '@tributary/event-log/outbox';
import { inTransaction, isTransientPostgresError, type Tx } from '@tributary/runtime/postgres';
import { closeAbandoned, closeEntry, insertEntry, listAbandoned } from '../db/audit-entries.ts';
import { type AuditEntry, toAuditRecord } from '../domain/audit-record.ts';
import type { Office } from './office.ts';

/** Where entries of the audit list are kept; on their topic, too, where there is one. */
export type AuditDesk = Pick<Office, 'pool' | 'clock' | 'auditTopic'>;

/** What was looked at, which nothing can leave half done. */
export async function keepEntry(desk: AuditDesk, entry: AuditEntry): Promise<void> {
  await withTopic(desk, async (tx) => {
    await insertEntry(tx, entry);
    return [entry];
  });
}

/** Takes the place of the open one: there is one or the other, and never both. */
export async function endEntry(desk: AuditDesk, entry: AuditEntry): Promise<void> {
  await withTopic(desk, async (tx) => ((await closeEntry(tx, entry)) ? [entry] : []));
}

/**
 * Those that were left behind by processes that died in between: each by itself, so that one that
 * cannot be written keeps none of the others open, and nobody from the list.
 */
export async function endAbandoned(
  desk: AuditDesk,
  before: Date,
  onFailure: (error: unknown, entryId: string) => void,
): Promise<void> {
  for (const entryId of await listAbandoned(desk.pool, before)) {
    await withTopic(desk, (tx) => closeAbandoned(tx, entryId)).catch((error: unknown) => {
      if (isTransientPostgresError(error)) throw error;
      onFailure(error, entryId);
    });
  }
}

/**
 * In one transaction with what sends them, so that the topic has what the list has, in the order
 * in which it was ended, and goes on where it was left.
 */
async function withTopic(
  { pool, auditTopic }: AuditDesk,
  keep: (tx: Tx | AuditDesk['pool']) => Promise<readonly AuditEntry[]>,
): Promise<void> {
  if (auditTopic === null) {
    await keep(pool);
    return;
  }
  await inTransaction(pool, async (tx) => {
    const kept = (await keep(tx)).map(toAuditRecord);
    await enqueue(
      tx,
      kept.map((record) => ({
        topic: auditTopic,
        key: auditKey(record),
        value: auditCodec.encode(record),
      })),
    );
  });
}

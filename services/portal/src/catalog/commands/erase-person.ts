import { recordKey } from '@tributary/contracts/topics';
import { enqueue } from '@tributary/event-log/outbox';
import { inTransaction, type Tx } from '@tributary/runtime/postgres';
import { takeDueRepeats, writeErasure } from '../db/erasures.ts';
import { readTenant } from '../db/tenants.ts';
import { changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { publishCatalog } from './publish.ts';

/**
 * Forgets e-mail and name of a person (design 5). Two records in one transaction: the catalog's
 * erasure, by which every reader drops what was received until now, whenever it reads it; and a
 * tombstone, by which Kafka drops the records themselves when it compacts. Facts, decisions and
 * balances hold ids only and stay as they are.
 *
 * A request that was under way may append the person once more: an idempotency key is pending for
 * up to 72 hours, and each retry appends the same record. Readers ignore it by its `receivedAt`;
 * for Kafka the tombstone is repeated when no such retry can come any more.
 */
export type EraseOutcome =
  { outcome: 'erased'; erasedAt: string; repeatAt: string } | { outcome: 'no-tenant' };

const repeatAfterHours = 73;

/** Whether anything is known of the person is not asked: nobody needs to know that to erase. */
export async function erasePerson(
  deployment: Deployment,
  tenantId: string,
  userId: string,
): Promise<EraseOutcome> {
  const { clock } = deployment;
  return changeCatalog(deployment, async (tx): Promise<EraseOutcome> => {
    if ((await readTenant(tx, tenantId)) === undefined) return { outcome: 'no-tenant' };
    const at = clock.now();
    const repeatAt = new Date(at.getTime() + repeatAfterHours * 3_600_000);
    const { version, erasedAt } = await writeErasure(tx, { tenantId, userId, at, repeatAt });
    await publishCatalog(tx, deployment, at, {
      entity: 'erasure',
      tenantId,
      version,
      userId,
      erasedAt: erasedAt.toISOString(),
    });
    await enqueueTombstones(tx, deployment, [{ tenantId, userId }]);
    return {
      outcome: 'erased',
      erasedAt: erasedAt.toISOString(),
      repeatAt: repeatAt.toISOString(),
    };
  });
}

const repeatsAtOnce = 200;

/** The second tombstones that are due; says whether there may be more. */
export async function repeatTombstones(deployment: Deployment): Promise<boolean> {
  return inTransaction(deployment.pool, async (tx) => {
    const due = await takeDueRepeats(tx, deployment.clock.now(), repeatsAtOnce);
    await enqueueTombstones(tx, deployment, due);
    return due.length === repeatsAtOnce;
  });
}

async function enqueueTombstones(
  tx: Tx,
  { topics }: Deployment,
  people: readonly { tenantId: string; userId: string }[],
): Promise<void> {
  await enqueue(
    tx,
    people.map(({ tenantId, userId }) => ({
      topic: topics.people,
      key: recordKey(tenantId, userId),
      value: null,
    })),
  );
}

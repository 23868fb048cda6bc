import type { DeliveryFact, DeliveryRecord } from '@tributary/contracts/delivery-record';
import type { Incoming } from '@tributary/event-log/projection';
import type { Tx } from '@tributary/runtime/postgres';
import { planByKey } from '../db/plan-by-key.ts';
import { countRecorded } from '../db/record-results.ts';

/**
 * Leaves out the facts of a batch that this process has written itself, once the database says that
 * it has them: it may have been restored, or have failed over, since they were committed.
 */
export async function leaveOutWritten(
  tx: Tx,
  batch: readonly Incoming[],
  takeWritten: (fact: DeliveryRecord) => boolean,
): Promise<readonly Incoming[]> {
  const attempts = new Map<Incoming, DeliveryRecord>();
  for (const record of batch) {
    const fact = record.value as DeliveryFact | null;
    if (fact?.type === 'attempted' && takeWritten(fact)) attempts.set(record, fact);
  }
  if (attempts.size === 0) return batch;
  await planByKey(tx);
  const isThere = (await countRecorded(tx, [...attempts.values()])) === attempts.size;
  return isThere ? batch.filter((record) => !attempts.has(record)) : batch;
}

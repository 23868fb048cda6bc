import { recordKey } from '@tributary/contracts/topics';
import { rewardCodec } from '@tributary/contracts/reward-record';
import { enqueue } from '@tributary/event-log/outbox';
import { inOneTurn, type Tx } from '@tributary/runtime/postgres';
import { writeRecipientChanges } from '../db/changes.ts';
import type { RecipientChange } from '@tributary/rewards-fold/recipient-change';
import { rewardToWire } from '@tributary/rewards-fold/reward-records';

/** Writes what folds and releases came to, for recipients whose rows are locked. */
export async function writeChanges(
  tx: Tx,
  rewardsTopic: string,
  changes: readonly RecipientChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const published = changes
    .flatMap((change) => change.published)
    .map((reward) => ({
      topic: rewardsTopic,
      key: recordKey(reward.tenantId, reward.recipientId),
      value: rewardCodec.encode(rewardToWire(reward)),
    }));
  await inOneTurn([writeRecipientChanges(tx, changes), enqueue(tx, published)]);
}

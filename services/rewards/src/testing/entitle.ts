import { inTransaction } from '@tributary/runtime/postgres';
import { readEntitlements } from '../db/entitlements.ts';
import { lockRecipients } from '../db/recipients.ts';
import { changeRecipient } from '@tributary/rewards-fold/recipient-change';
import { writeChanges } from '../fold/write-changes.ts';
import type { Parts } from './parts.ts';
import { rewardIdOf, rewardOf, type Target } from '@tributary/rewards-fold/testing/settlement-book';

/**
 * Writes what a fold came to for one recipient, in the transaction and with the functions that
 * folds use; how a fold comes to it has specs of its own.
 */
export async function entitle(
  { pool }: Parts,
  recipientId: string,
  ...targets: readonly Target[]
): Promise<void> {
  const recipient = { tenantId: 't1', recipientId };
  await inTransaction(pool, async (tx) => {
    const [row] = await lockRecipients(tx, [recipient]);
    const ids = targets.map(({ n }) => rewardIdOf(n));
    const stored = await readEntitlements(tx, [], ids);
    const before = new Map(stored.map((reward) => [reward.rewardId, reward]));
    const after = new Map(before);
    for (const target of targets) {
      const known = before.get(rewardIdOf(target.n));
      const step = (known?.version ?? 0) + 1;
      after.set(rewardIdOf(target.n), rewardOf(known, target, step, recipient));
    }
    const { totals } = row!;
    const change = changeRecipient({ recipient, totals, before, after, facts: [] });
    await writeChanges(tx, 'rewards', [change]);
  });
}

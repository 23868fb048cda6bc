import type { RewardActionRecord } from '@tributary/contracts/issuance-record';
import { afterCommit, type Tx } from '@tributary/runtime/postgres';
import { readEntitlements } from '../db/entitlements.ts';
import { lockRecipients } from '../db/recipients.ts';
import { insertActions, readCountedActions } from '../db/reward-actions.ts';
import { distinctRecipients } from './distinct.ts';
import { recipientName } from '@tributary/rewards-fold/fold-tables';
import { changeRecipient } from '@tributary/rewards-fold/recipient-change';
import { countActions } from '@tributary/rewards-fold/operator-action';
import { actionFromWire } from '@tributary/rewards-fold/reward-records';
import type { RewardMetrics } from '../metrics.ts';
import { writeChanges } from './write-changes.ts';

/**
 * What operators said, as read from the log. Mostly facts that this service wrote and counted
 * itself; to a schema that was dropped, restored or is a shadow they are news. An action on a
 * reward whose decision has not been read makes a row that waits for it.
 *
 * No rule is applied here, so nothing can be undecided: a recipient whose fold threw is told too.
 */
export type CountActions = {
  /** Those that are news here. */
  chooseUncounted(tx: Tx, facts: readonly RewardActionRecord[]): Promise<RewardActionRecord[]>;
  /** Locks their recipients; in one transaction with other recipients, lock all of them before. */
  count(tx: Tx, facts: readonly RewardActionRecord[]): Promise<void>;
};

export function createCountActions(options: {
  rewardsTopic: string;
  metrics: RewardMetrics;
}): CountActions {
  const { rewardsTopic, metrics } = options;

  return {
    async chooseUncounted(tx, facts) {
      if (facts.length === 0) return [];
      const counted = await readCountedActions(
        tx,
        facts.map((fact) => fact.rewardId),
      );
      return facts.filter((fact) => fact.sequence > (counted.get(fact.rewardId) ?? 0));
    },

    async count(tx, facts) {
      const recipients = await lockRecipients(tx, distinctRecipients(facts));
      await insertActions(tx, facts);
      const rewardIds = facts.map((fact) => fact.rewardId);
      const storedOf = Map.groupBy(await readEntitlements(tx, [], rewardIds), recipientName);
      const actionsOf = Map.groupBy(facts.map(actionFromWire), recipientName);
      const changes = recipients.map(({ tenantId, recipientId, totals }) => {
        const recipient = { tenantId, recipientId };
        const name = recipientName(recipient);
        const before = new Map((storedOf.get(name) ?? []).map((r) => [r.rewardId, r]));
        const after = new Map(before);
        countActions(after, actionsOf.get(name) ?? []);
        return changeRecipient({ recipient, totals, before, after, facts: [] });
      });
      await writeChanges(tx, rewardsTopic, changes);
      afterCommit(tx, () => metrics.folded(changes, 0));
    },
  };
}

import type { DecisionContent } from '@tributary/attribution-fold/decision';
import type { HashedSet } from '@tributary/contracts/admin/replay-results';
import { createSetHash, type SetHash } from '@tributary/contracts/state-hash';
import { toLine } from '@tributary/contracts/state-item';
import { decisionLineOf, recipientLineOf, rewardLineOf } from './lines.ts';
import type { Store } from './store/store.ts';
import type { Reward } from './phases/settle-rewards.ts';

/** What came of a task, or of all of them: per tenant, and how many lines there are. */
export type Tally = {
  /** By list and part, `decisions/12.0`. */
  lines: Readonly<Record<string, number>>;
  tenants: Readonly<Record<string, Sums>>;
};
type Sums = { decisions: HashedSet; rewards: HashedSet; recipients: HashedSet };
/** Where lines go. */
type Target = { store: Store; list: string };
type Hashes = { [Name in keyof Sums]: SetHash };

/** Counts and hashes lines as they are written. */
export function createTally() {
  const tenants = new Map<string, Hashes>();
  const lines = new Map<string, number>();

  function hashesOf(tenantId: string): Hashes {
    let hashes = tenants.get(tenantId);
    if (!hashes) {
      const [decisions, rewards] = [createSetHash(), createSetHash()];
      tenants.set(tenantId, (hashes = { decisions, rewards, recipients: createSetHash() }));
    }
    return hashes;
  }

  function write({ store, list }: Target, line: string): void {
    store.line(list, line);
    const file = `${list}.${store.part}`;
    lines.set(file, (lines.get(file) ?? 0) + 1);
  }

  return {
    addDecision(decision: DecisionContent, to: Target): void {
      const line = toLine(decisionLineOf(decision));
      write(to, line);
      hashesOf(decision.tenantId).decisions.add(line);
    },

    /** All rewards of one recipient. */
    addRecipient(rewards: readonly Reward[], to: Target): void {
      for (const reward of rewards) {
        const line = rewardLineOf(reward);
        if (!line) continue;
        write(to, toLine(line));
        // Whether something was issued or is held yet is history: told, but not compared.
        const compared = toLine({ ...line, state: '' as typeof line.state });
        hashesOf(line.tenantId).rewards.add(compared);
      }
      const total = recipientLineOf(rewards);
      if (!total) return;
      const line = toLine(total);
      write(to, line);
      hashesOf(total.tenantId).recipients.add(line);
    },

    add(other: Tally): void {
      for (const [file, count] of Object.entries(other.lines)) {
        lines.set(file, (lines.get(file) ?? 0) + count);
      }
      for (const [tenantId, sums] of Object.entries(other.tenants)) {
        const hashes = hashesOf(tenantId);
        for (const name of ['decisions', 'rewards', 'recipients'] as const) {
          hashes[name].addHash(sums[name]);
        }
      }
    },

    value(): Tally {
      const sums = [...tenants].map(([tenantId, { decisions, rewards, recipients }]) => [
        tenantId,
        {
          decisions: decisions.value(),
          rewards: rewards.value(),
          recipients: recipients.value(),
        },
      ]);
      return {
        lines: Object.fromEntries(lines),
        tenants: Object.fromEntries(sums) as Tally['tenants'],
      };
    },
  };
}

import type { DecisionContent } from '@tributary/attribution-fold/decision';
import { userKeyOf } from '@tributary/attribution-fold/fact';
import { type Fold, foldUser } from '@tributary/attribution-fold/fold-user';
import { type FoldVersion, newestFoldVersion } from '@tributary/attribution-fold/fold-version';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { decisionDigest } from '@tributary/contracts/state-item';
import { createDryRunLogger } from '@tributary/runtime/dry-run';
import type { Logger } from '@tributary/runtime/logger';
import type { Tx } from '@tributary/runtime/postgres';
import { readDecisions, type StoredDecision } from '../db/decisions.ts';
import { readFacts } from '../db/facts.ts';
import { type LockedUsers, toUser } from '../db/lock-users.ts';
import { readUsers } from '../db/referred-users.ts';
import { usualLimits } from './batch-limits.ts';
import { plainWork } from './decide-facts.ts';
import { createFoldSafely } from './fold-safely.ts';
import { gather } from './gather.ts';

/**
 * Current decisions in full. Their rows have only digests (decision 39), so the facts are folded
 * once more, without a lock: what comes to the digest that is stored is what was decided.
 */
export type DecisionsInFull = (tx: Tx, eventIds: readonly string[]) => Promise<InFull>;

export type InFull = {
  decisions: DecisionRecord[];
  /**
   * Those whose row says something else than they fold to now: a change has touched them and they
   * are still to be decided again, or somebody changed the row.
   */
  others: { stored: StoredDecision; folded: DecisionRecord }[];
};

export function createDecisionsInFull(options: {
  logger: Logger;
  foldVersion?: FoldVersion;
  fold?: Fold;
}): DecisionsInFull {
  const { fold = foldUser, foldVersion = newestFoldVersion } = options;
  const foldSafely = createFoldSafely({ fold, logger: createDryRunLogger(options.logger) });

  async function foldAgain(tx: Tx, eventIds: readonly string[]): Promise<DecisionContent[]> {
    const facts = await readFacts(tx, eventIds);
    const states = await readUsers(tx, facts.map(toUser));
    const users: LockedUsers = new Map(
      facts.map((fact) => {
        const state = states.get(userKeyOf(fact)) ?? {};
        return [userKeyOf(fact), { ...toUser(fact), stored: state, state, hadFacts: true }];
      }),
    );
    if (users.size === 0) return [];
    const work = { ...plainWork(usualLimits, foldVersion), facts, users };
    return foldSafely(facts, await gather(tx, work), (contents) => contents);
  }

  return async (tx, eventIds) => {
    const stored = await readDecisions(tx, eventIds);
    const inFull: InFull = { decisions: [], others: [] };
    for (const content of await foldAgain(tx, [...stored.keys()])) {
      const row = stored.get(content.eventId)!;
      const folded = { ...content, version: row.version };
      if (says(row, content)) inFull.decisions.push(folded);
      else inFull.others.push({ stored: row, folded });
    }
    return inFull;
  };
}

function says(row: StoredDecision, content: DecisionContent): boolean {
  return (
    row.outcome === content.outcome &&
    row.campaignId === (content.campaignId ?? null) &&
    row.digest === decisionDigest(content)
  );
}

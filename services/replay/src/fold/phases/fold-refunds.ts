import { decideRefund } from '@tributary/attribution-fold/decide-refund';
import { type DecisionContent, undecidedOn } from '@tributary/attribution-fold/decision';
import type { Fact } from '@tributary/attribution-fold/fact';
import type { DecisionContext } from '@tributary/attribution-fold/decision-context';
import { jsonOf } from '../store/store.ts';
import { createTally, type Tally } from '../tally.ts';
import { readContested } from './settle-contested.ts';
import type { ShardTask, TaskContext } from './task.ts';

/**
 * Refunds whose purchase is another user's: each follows the decision of that. They earn nothing.
 */
export function foldRefunds(context: TaskContext, { shard }: ShardTask): Tally {
  const tally = createTally();
  for (const decision of decideRefunds(context, shard)) {
    tally.addDecision(decision, { store: context.store, list: `decisions/${shard}` });
  }
  return tally.value();
}

export function* decideRefunds(context: TaskContext, shard: number): Generator<DecisionContent> {
  const { store, cut } = context;
  const deferred = store.read(`deferred/${shard}`);
  if (deferred.length === 0) return;
  const verdicts = new Map(
    store.read(`verdicts/${shard}`).map((entry) => [entry.key, jsonOf<DecisionContent>(entry)]),
  );
  const { foldVersion } = cut;
  const decisionContext = { ...nothingElse, foldVersion, ...readContested(context, shard) };
  const verdictOn = ({ event }: Fact): DecisionContent => {
    const verdict = verdicts.get(event.eventId);
    if (!verdict || verdict.outcome === 'undecided') throw new Error('an undecided purchase');
    return verdict;
  };
  for (const entry of deferred) {
    const fact = jsonOf<Fact>(entry);
    try {
      yield decideRefund(fact, decisionContext, verdictOn);
    } catch {
      yield undecidedOn(fact);
    }
  }
}

const nothingElse: Omit<DecisionContext, 'foldVersion' | 'claims' | 'invoices'> = {
  codes: new Map(),
  users: new Map(),
  campaigns: new Map(),
  referrals: new Map(),
  modes: new Map(),
};

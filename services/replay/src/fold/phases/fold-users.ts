import type { DecisionContent } from '@tributary/attribution-fold/decision';
import { undecidedOn } from '@tributary/attribution-fold/decision';
import { type Fact, isRefund, namesOf, toFact } from '@tributary/attribution-fold/fact';
import { foldUser } from '@tributary/attribution-fold/fold-user';
import type { DecisionContext } from '@tributary/attribution-fold/decision-context';
import { recordKey } from '@tributary/contracts/topics';
import { campaignName } from '@tributary/rewards-fold/look-back';
import { createTally, type Tally } from '../tally.ts';
import { byKey } from '../store/store.ts';
import { distinctEvents, readEvents } from './read-facts.ts';
import { readWanted } from './settle-contested.ts';
import { appendStep } from './step-list.ts';
import { createContexts } from './create-contexts.ts';
import type { ShardTask, TaskContext } from './task.ts';

/**
 * Decides the facts of a shard, user by user. What is attributed goes to the shards of those whom
 * it may reward; refunds of purchases of other users wait for these to be decided
 * (fold-refunds.ts).
 */
export function foldUsers(context: TaskContext, { shard }: ShardTask): Tally {
  const { store, catalog, shape } = context;
  const tally = createTally();
  const wanted = readWanted(context, shard);
  for (const { decisions, foreign } of decideUsers(context, shard)) {
    for (const decision of decisions) {
      const { tenantId, newUserId, eventId } = decision;
      tally.addDecision(decision, { store, list: `decisions/${shard}` });
      for (const other of wanted.get(eventId) ?? []) {
        store.append(`verdicts/${other}`, eventId, JSON.stringify(decision));
      }
      const revision = catalog.revisionOf(decision);
      if (decision.outcome !== 'attributed' || !revision || decision.refund) continue;
      const recipients = [recordKey(tenantId, decision.referrerId)];
      if (catalog.paysNewUsers.has(campaignName(revision))) {
        recipients.push(recordKey(tenantId, newUserId));
      }
      appendStep(store, decision, recipients, shape.shards);
    }
    for (const fact of foreign) {
      store.append(`deferred/${shard}`, '', JSON.stringify(fact));
    }
  }
  return tally.value();
}

/** For all users, or those with these keys. Refunds of purchases of other users are left out. */
export function* decideUsers(
  context: TaskContext,
  shard: number,
  only?: ReadonlySet<string>,
): Generator<{ decisions: readonly DecisionContent[]; foreign: readonly Fact[] }> {
  const decisionContext = createContexts(context, shard);
  for (const [user, entries] of byKey(readEvents(context.log, context.cut, shard))) {
    if (only && !only.has(user)) continue;
    const facts = distinctEvents(context.cut, entries).map(toFact);
    if (facts.length === 0) continue;
    yield decideUser(facts, () => decisionContext.of(user, facts));
  }
}

function decideUser(facts: readonly Fact[], contextOf: () => DecisionContext) {
  try {
    const decisionContext = contextOf();
    const foreign = facts.filter((fact) => followsAnotherUser(fact, decisionContext));
    const own = foreign.length === 0 ? facts : facts.filter((fact) => !foreign.includes(fact));
    return { decisions: foldUser(own, decisionContext), foreign };
  } catch {
    // As the service does: the fault is in the fold, and the facts of this user stay undecided.
    return { decisions: facts.map(undecidedOn), foreign: [] };
  }
}

function followsAnotherUser(fact: Fact, { invoices }: DecisionContext): boolean {
  if (!isRefund(fact)) return false;
  const [name] = namesOf(fact);
  const purchase = name === undefined ? undefined : invoices.get(name)?.purchase;
  return purchase !== undefined && purchase.event.newUser.id !== fact.event.newUser.id;
}

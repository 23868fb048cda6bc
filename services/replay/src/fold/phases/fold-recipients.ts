import type { IssuanceFact } from '@tributary/contracts/issuance-record';
import { foldClaims } from '@tributary/rewards-fold/fold-claims';
import type { Claim } from '@tributary/rewards-fold/step';
import { type Cut, isInTime } from '../cut.ts';
import { readSpooled, recordOf, type Spooled } from '../store/spooled.ts';
import { byKey, type Entry } from '../store/store.ts';
import { createTally, type Tally } from '../tally.ts';
import { type Reward, settleRewards } from './settle-rewards.ts';
import { readStep } from './step-list.ts';
import type { ShardTask, TaskContext } from './task.ts';

/** What everybody of a shard is entitled to and was given, recipient by recipient. */
export function foldRecipients(context: TaskContext, { shard }: ShardTask): Tally {
  const tally = createTally();
  const to = { store: context.store, list: `rewards/${shard}` };
  for (const rewards of rewardRecipients(context, shard)) tally.addRecipient(rewards, to);
  return tally.value();
}

/** For all recipients, or those with these keys. */
export function* rewardRecipients(
  { log, store, cut, catalog }: TaskContext,
  shard: number,
  only?: ReadonlySet<string>,
): Generator<readonly Reward[]> {
  const steps = byKey(store.read(`steps/${shard}`));
  const facts = byKey(readSpooled(log, 'issuances', { name: `issuances/${shard}`, cut }));
  const claimOf = (entry: Entry): Claim => {
    const decision = readStep(entry);
    const revision = catalog.revisionOf(decision);
    return { decision, ...(revision && { revision }) };
  };
  for (const recipient of new Set([...steps.keys(), ...facts.keys()])) {
    if (only && !only.has(recipient)) continue;
    const recipientId = recipient.slice(recipient.indexOf(':') + 1);
    const claims = (steps.get(recipient) ?? []).map(claimOf);
    const targets = foldClaims(claims, recipientId);
    yield settleRewards(targets, factsIn(cut, facts.get(recipient) ?? []));
  }
}

function factsIn(cut: Cut, entries: readonly Spooled[]): IssuanceFact[] {
  return entries
    .map((entry) => recordOf<IssuanceFact>(entry))
    .filter((fact) => isInTime(cut, fact.type === 'issued' ? fact.issuedAt : fact.at));
}

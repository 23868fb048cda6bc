import type { Counted } from './recount-caps.ts';
import type { Entitlement } from './entitlement.ts';
import type { FoldInput, PlannedFold } from './fold-changes.ts';
import { factName, recipientName, type Touch } from './fold-tables.ts';
import { regrant, type Target, targetOf } from './target.ts';
import type { CandidateReward } from './candidate-reward.ts';

/** Deals out what was found for a batch: to each recipient its own. */
export function planFolds(
  input: FoldInput,
  folded: readonly Touch[],
  read: {
    candidates: readonly CandidateReward[];
    counted: Counted;
    stored: readonly Entitlement[];
    failures: ReadonlyMap<string, unknown>;
  },
): PlannedFold[] {
  const touches = Map.groupBy(folded, recipientName);
  const candidates = Map.groupBy(read.candidates, recipientName);
  const moved = Map.groupBy(read.counted.moved, recipientName);
  const stored = Map.groupBy(read.stored, recipientName);
  const facts = Map.groupBy(input.facts, recipientName);
  const claims = Map.groupBy(
    [...input.changes.flatMap((change) => change.claims), ...input.claims],
    ({ decision }) => factName(decision),
  );
  return input.recipients.map(({ tenantId, recipientId, totals }): PlannedFold => {
    const recipient = { tenantId, recipientId };
    const name = recipientName(recipient);
    const movedHere = moved.get(name) ?? [];
    const businessKeys = new Set((touches.get(name) ?? []).map((touch) => touch.businessKey));
    if (read.failures.has(name)) {
      return {
        outcome: 'failed',
        fold: { recipient, businessKeys },
        error: read.failures.get(name),
      };
    }
    const rewards = new Map((stored.get(name) ?? []).map((reward) => [reward.rewardId, reward]));
    const targets = [
      ...(candidates.get(name) ?? []).map((candidate): Target =>
        targetOf(candidate, read.counted.grantOf(candidate)),
      ),
      ...movedHere.flatMap(({ terms, own }) => {
        const reward = rewards.get(terms.rewardId);
        return (reward && regrant(reward, own, terms, read.counted.grantOf(terms))) ?? [];
      }),
    ];
    const fold = {
      recipient,
      totals,
      businessKeys,
      claims: [...businessKeys].flatMap(
        (businessKey) => claims.get(factName({ tenantId, businessKey })) ?? [],
      ),
      targets,
      stored: [...rewards.values()],
      facts: facts.get(name) ?? [],
    };
    return { outcome: 'planned', fold, limits: read.counted.writesOf(recipient) };
  });
}

import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { Tx } from '@tributary/runtime/postgres';
import { lockDecisions, writeDecisions } from './adapters/postgres/decisions.ts';
import { readTouchesOf } from './adapters/postgres/entitlements.ts';
import { distinctFacts } from './distinct.ts';
import type { FoldFacts } from './fold-facts.ts';
import { touchesOf } from './recipient-folds.ts';
import { isWaiting, type Revisions } from './revisions.ts';

/**
 * Decisions from the log. Of each decision the highest version counts; a lower or equal one changes
 * nothing. The number of statements does not depend on how many decisions a batch has.
 */
export function createApplyDecisions(options: { revisions: Revisions; foldFacts: FoldFacts }) {
  const { revisions, foldFacts } = options;

  return async function applyDecisions(tx: Tx, batch: readonly DecisionRecord[]): Promise<void> {
    const newest = highestVersions(batch);
    if (newest.length === 0) return;
    const heads = await lockDecisions(tx, newest);
    const changed = newest.filter((d) => d.version > (heads.get(d.decisionId)?.version ?? 0));
    if (changed.length === 0) return;

    const claims = await revisions.claimsOf(tx, changed);
    await writeDecisions(
      tx,
      claims.map((claim) => ({
        decision: claim.decision,
        status: isWaiting(claim) ? 'waiting-for-revision' : 'folded',
      })),
    );
    // Whom an earlier version rewarded. A decision that is new has no earlier version, and for the
    // other recipients of its business fact it changes nothing.
    const before = changed
      .flatMap((d) => heads.get(d.decisionId) ?? [])
      .filter((head) => head.version > 0);
    await foldFacts(tx, {
      facts: distinctFacts([...changed, ...before]),
      touches: [...claims.flatMap(touchesOf), ...(await readTouchesOf(tx, distinctFacts(before)))],
      issuances: [],
    });
  };
}

function highestVersions(batch: readonly DecisionRecord[]): DecisionRecord[] {
  const highest = new Map<string, DecisionRecord>();
  for (const decision of batch) {
    const known = highest.get(decision.decisionId);
    if (!known || decision.version > known.version) highest.set(decision.decisionId, decision);
  }
  return [...highest.values()];
}

import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { Tx } from '@tributary/runtime/postgres';
import {
  type DecisionRow,
  insertOrLockDecisions,
  writeDecisions,
} from './adapters/postgres/decisions.ts';
import { readTouchesOf } from './adapters/postgres/entitlements.ts';
import { distinctFacts } from './distinct.ts';
import type { Claim } from './domain/entitle-decision.ts';
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
    const claims = await revisions.claimsOf(tx, newest);
    const heads = await insertOrLockDecisions(tx, claims.map(rowOf));
    const changed = claims.filter(({ decision: { decisionId, version } }) => {
      const head = heads.get(decisionId);
      return !head || version > head.version;
    });
    if (changed.length === 0) return;
    const replaced = changed.filter(({ decision }) => heads.has(decision.decisionId));
    await writeDecisions(tx, replaced.map(rowOf));

    // Whom an earlier version rewarded. A decision that is new has no earlier version, and for the
    // other recipients of its business fact it changes nothing.
    const before = distinctFacts(
      replaced.flatMap(({ decision }) => [decision, heads.get(decision.decisionId) ?? []].flat()),
    );
    await foldFacts(tx, {
      facts: distinctFacts([...changed.map((claim) => claim.decision), ...before]),
      touches: [...changed.flatMap(touchesOf), ...(await readTouchesOf(tx, before))],
      issuances: [],
    });
  };
}

function rowOf(claim: Claim): DecisionRow {
  const status = isWaiting(claim) ? 'waiting-for-revision' : 'folded';
  return { decision: claim.decision, status };
}

function highestVersions(batch: readonly DecisionRecord[]): DecisionRecord[] {
  const highest = new Map<string, DecisionRecord>();
  for (const decision of batch) {
    const known = highest.get(decision.decisionId);
    if (!known || decision.version > known.version) highest.set(decision.decisionId, decision);
  }
  return [...highest.values()];
}

import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { Tx } from '@tributary/runtime/postgres';
import { type DecisionRow, insertOrLockDecisions, writeDecisions } from '../db/decisions.ts';
import { changeFacts } from '../fold/change-facts.ts';
import { distinctFacts } from '../fold/distinct.ts';
import { type Claim, stepOf } from '@tributary/rewards-fold/step';
import type { FoldFacts } from '../fold/fold-facts.ts';
import { isWaiting, type Revisions } from '../fold/revisions.ts';

/**
 * Decisions from the log. Of each decision the highest version counts; a lower or equal one changes
 * nothing. The number of statements does not depend on how many decisions a batch has.
 */
export function createApplyDecisions(options: { revisions: Revisions; foldFacts: FoldFacts }) {
  const { revisions, foldFacts } = options;

  return async function applyDecisions(tx: Tx, batch: readonly DecisionRecord[]): Promise<void> {
    const newest = highestVersions(batch.filter(canChangeSomething));
    if (newest.length === 0) return;
    const claims = await revisions.claimsOf(tx, newest);
    const heads = await insertOrLockDecisions(tx, claims.map(rowOf));
    const changed = claims.filter(({ decision: { decisionId, version } }) => {
      const head = heads.get(decisionId);
      return !head || version > head.version;
    });
    if (changed.length === 0) return;
    await writeDecisions(tx, changed.filter(isReplaced).map(rowOf));

    // A new decision that earns nothing changes no fact. One that is replaced may have held its old
    // fact, and may hold its new one.
    const facts = distinctFacts(
      changed.flatMap((claim) => {
        const { decision } = claim;
        if (isReplaced(claim)) return [decision, heads.get(decision.decisionId) ?? []].flat();
        return stepOf(claim) ? decision : [];
      }),
    );
    const changes = await changeFacts(tx, revisions, { facts, claims: changed });
    await foldFacts(tx, { changes, touches: [], issuances: [] });

    function isReplaced({ decision }: Claim): boolean {
      return heads.has(decision.decisionId);
    }
  };
}

function rowOf(claim: Claim): DecisionRow {
  const status = isWaiting(claim) ? 'waiting-for-revision' : 'folded';
  return { decision: claim.decision, status };
}

/**
 * Not the first version of one that attributes to nobody: it earns nothing, and there is none
 * before it that it would take something back from. Its row would only be in the way of the next
 * version's, which may come at the same time by another partition (decision 37).
 */
function canChangeSomething({ version, referrerId }: DecisionRecord): boolean {
  return version > 1 || referrerId !== undefined;
}

function highestVersions(batch: readonly DecisionRecord[]): DecisionRecord[] {
  const highest = new Map<string, DecisionRecord>();
  for (const decision of batch) {
    const known = highest.get(decision.decisionId);
    if (!known || decision.version > known.version) highest.set(decision.decisionId, decision);
  }
  return [...highest.values()];
}

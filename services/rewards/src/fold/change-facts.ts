import type { Tx } from '@tributary/runtime/postgres';
import { readDecisionsAbout } from '../db/decisions.ts';
import { insertOrLockSteps, type StepDraft, writeSteps } from '../db/steps.ts';
import { type FactChange, holderChange } from '@tributary/rewards-fold/fold-changes';
import { type BusinessFact, factName } from '@tributary/rewards-fold/fold-tables';
import { type Claim, holderOf, sameStepRow, stepOf, stepRowOf } from '@tributary/rewards-fold/step';
import type { Revisions } from './revisions.ts';

/**
 * Who holds each of these business facts now, and who did. The facts are locked, after their
 * decisions and before any recipient: two decisions about one fact may credit different people, and
 * whoever comes second must see the first. The row of a fact names all that have claimed it, so of
 * a new one everything is known; a decision that never claimed it can neither hold it nor have
 * earned what is to be withdrawn.
 */
export async function changeFacts(
  tx: Tx,
  revisions: Revisions,
  input: { facts: readonly BusinessFact[]; claims: readonly Claim[] },
): Promise<FactChange[]> {
  const { facts } = input;
  if (facts.length === 0) return [];
  // Most facts are new and have one decision, so the row that locks them is right at once.
  const reported = Map.groupBy(input.claims, ({ decision }) => factName(decision));
  const drafts = facts.map((fact) =>
    draftOf(fact, (reported.get(factName(fact)) ?? []).filter(stepOf)),
  );
  const locked = new Map(
    (await insertOrLockSteps(tx, drafts)).map((row) => [factName(row), row] as const),
  );
  const known = facts.filter((fact) => locked.has(factName(fact)));
  const stored = Map.groupBy(
    await revisions.claimsOf(tx, await readDecisionsAbout(tx, known)),
    ({ decision }) => factName(decision),
  );
  const rewritten: StepDraft[] = [];
  const changes = facts.map((fact) => {
    const name = factName(fact);
    const own = reported.get(name) ?? [];
    const before = locked.get(name);
    if (!before) return { ...holderChange(bare(fact), undefined, own), isNew: true };
    // Revisions may have come since `own` was read: row and fold must both go by the later look.
    const claims = distinctClaims(own, stored.get(name) ?? []);
    const draft = draftOf(fact, distinctClaims(own.filter(stepOf), stored.get(name) ?? []));
    if (!isSame(before, draft)) rewritten.push(draft);
    return holderChange(bare(fact), before.step, claims);
  });
  await writeSteps(tx, rewritten);
  return changes;
}

/** The row of a fact with these decisions, which claim it or once did. */
function draftOf(fact: BusinessFact, claims: readonly Claim[]): StepDraft {
  const holder = holderOf(claims);
  const ids = claims.map(({ decision }) => decision.decisionId);
  const others = ids.filter((id) => id !== holder?.decisionId).sort();
  return { ...bare(fact), step: holder && stepRowOf(holder), others };
}

function distinctClaims(...claims: (readonly Claim[])[]): Claim[] {
  const byId = new Map(claims.flat().map((claim) => [claim.decision.decisionId, claim]));
  return [...byId.values()];
}

function isSame(before: StepDraft, next: StepDraft): boolean {
  const [a, b] = [before.step, next.step];
  const isSameStep = a && b ? sameStepRow(a, b) : a === b;
  return isSameStep && before.others.join() === next.others.join();
}

function bare({ tenantId, businessKey }: BusinessFact): BusinessFact {
  return { tenantId, businessKey };
}

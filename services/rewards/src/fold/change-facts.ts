import type { Tx } from '@tributary/runtime/postgres';
import { readDecisionsAbout } from '../db/decisions.ts';
import { insertOrLockSteps, writeSteps } from '../db/steps.ts';
import { type FactChange, holderChange } from '@tributary/rewards-fold/fold-changes';
import { type BusinessFact, factName } from '@tributary/rewards-fold/fold-tables';
import {
  type Claim,
  holderOf,
  sameStepRow,
  type StepRow,
  stepRowOf,
} from '@tributary/rewards-fold/step';
import type { Revisions } from './revisions.ts';

/**
 * Who holds each of these business facts now, and who did. The facts are locked, after their
 * decisions and before any recipient: two decisions about one fact may credit different people, and
 * whoever comes second must see the first.
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
  const drafts = facts.map((fact) => {
    const holder = holderOf(reported.get(factName(fact)) ?? []);
    return { ...bare(fact), step: holder && stepRowOf(holder) };
  });
  const locked = new Map(
    (await insertOrLockSteps(tx, drafts)).map(({ fact, step }) => [factName(fact), { step }]),
  );
  const claims = Map.groupBy(
    await revisions.claimsOf(tx, await readDecisionsAbout(tx, facts)),
    ({ decision }) => factName(decision),
  );
  const changes = facts.map((fact) => {
    const name = factName(fact);
    return holderChange(bare(fact), locked.get(name)?.step, claims.get(name) ?? []);
  });
  await writeSteps(
    tx,
    changes.flatMap((change, i) => {
      const known = locked.get(factName(change));
      const written = known ? known.step : drafts[i]?.step;
      const next = change.after && stepRowOf(change.after);
      return isSame(written, next) ? [] : { ...bare(change), step: next };
    }),
  );
  return changes;
}

function isSame(a: StepRow | undefined, b: StepRow | undefined): boolean {
  return a && b ? sameStepRow(a, b) : a === b;
}

function bare({ tenantId, businessKey }: BusinessFact): BusinessFact {
  return { tenantId, businessKey };
}

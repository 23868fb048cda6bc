import { compareCanonical } from '@tributary/contracts/canonical-order';
import { recordKey } from '@tributary/contracts/topics';
import { originOf } from './code-history.ts';
import { decideFact, mayBind } from './decide-fact.ts';
import type { DecisionContent } from './decision.ts';
import type { Fact } from './fact.ts';
import { compareStanding, standingOf } from './standing.ts';
import type { Surroundings } from './surroundings.ts';
import type { Binding } from './user-state.ts';

/**
 * Facts of one referred user to decisions, in canonical order. What facts of a user mean to each
 * other is summed up in the user's state (user-state.ts), which the surroundings hold, so a caller
 * may give only the facts that something has touched: the work for a busy user stays that of what
 * is new.
 */
export function foldUser(facts: readonly Fact[], surroundings: Surroundings): DecisionContent[] {
  return facts
    .toSorted((a, b) => compareCanonical(a.event, b.event))
    .map((fact) => decideFact(fact, surroundings));
}

export type Fold = typeof foldUser;

/**
 * Whose code binds the user in mode `first-code`: of the first fact in canonical order whose own
 * code is valid, in whatever mode and campaign (design 7). What a browser told binds only where
 * nothing that a backend reported does. The facts are all of the user, or what is new beside the
 * binding so far.
 */
export function bindUser(
  facts: readonly Fact[],
  surroundings: Surroundings,
  soFar: Binding | null = null,
): Binding | null {
  const standings = facts.map((fact) => ({ fact, standing: standingOf(fact.event) }));
  standings.sort((a, b) => compareStanding(a.standing, b.standing));
  for (const { fact, standing } of standings) {
    if (soFar && compareStanding(soFar, standing) <= 0) break;
    if (mayBind(fact, surroundings)) return { ...standing, ucc: fact.event.ucc };
  }
  return soFar;
}

/** Who owns the code on the fact, as far as the codes are known. */
export function ownerOf({ event }: Fact, codes: Surroundings['codes']): string | undefined {
  const history = codes.get(recordKey(event.tenantId, event.ucc));
  return history && originOf(history).productUserId;
}

import { compareCanonical } from '@tributary/contracts/canonical-order';
import { decideFact } from './decide-fact.ts';
import type { DecisionContent } from './decision.ts';
import type { Fact } from './fact.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * Facts of one referred user to decisions, in canonical order. An event is decided by the code on
 * it, so the facts of a user do not depend on each other but through claims, and a caller may give
 * only those that something has touched: the work for a busy user stays that of what is new.
 */
export function foldUser(facts: readonly Fact[], surroundings: Surroundings): DecisionContent[] {
  return facts
    .toSorted((a, b) => compareCanonical(a.event, b.event))
    .map((fact) => decideFact(fact, surroundings));
}

export type Fold = typeof foldUser;

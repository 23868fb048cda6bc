import { compareCanonical } from '@tributary/contracts/canonical-order';
import { recordKey } from '@tributary/contracts/topics';
import { originOf } from './code-history.ts';
import { decideFact, mayBind } from './decide-fact.ts';
import type { DecisionContent } from './decision.ts';
import type { Fact } from './fact.ts';
import { comparePrecedence, precedenceOf } from './precedence.ts';
import type { DecisionContext } from './decision-context.ts';
import type { Binding } from './user-state.ts';

/**
 * Facts of one referred user to decisions, in canonical order. What facts of a user mean to each
 * other is summed up in the user's state (user-state.ts), which the context holds, so a caller
 * may give only the facts that something has touched: the work for a busy user stays that of what
 * is new.
 */
export function foldUser(facts: readonly Fact[], context: DecisionContext): DecisionContent[] {
  return facts
    .toSorted((a, b) => compareCanonical(a.event, b.event))
    .map((fact) => decideFact(fact, context));
}

export type Fold = typeof foldUser;

/**
 * Whose code binds the user in mode `first-code`: of the first fact in canonical order whose own
 * code is valid, in whatever mode and campaign (design 7). What a browser reported binds only where
 * nothing that a backend reported does. The facts are all of the user, or what is new beside the
 * binding so far.
 */
export function bindUser(
  facts: readonly Fact[],
  context: DecisionContext,
  soFar: Binding | null = null,
): Binding | null {
  const ranked = facts.map((fact) => ({ fact, precedence: precedenceOf(fact.event) }));
  ranked.sort((a, b) => comparePrecedence(a.precedence, b.precedence));
  for (const { fact, precedence } of ranked) {
    if (soFar && comparePrecedence(soFar, precedence) <= 0) break;
    if (mayBind(fact, context)) return { ...precedence, ucc: fact.event.ucc };
  }
  return soFar;
}

/** Who owns the code on the fact, as far as the codes are known. */
export function ownerOf({ event }: Fact, codes: DecisionContext['codes']): string | undefined {
  const history = codes.get(recordKey(event.tenantId, event.ucc));
  return history && originOf(history).productUserId;
}

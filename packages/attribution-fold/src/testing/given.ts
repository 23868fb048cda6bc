import { decisionCodec } from '@tributary/contracts/decision-record';
import type { DecisionContent } from '../domain/decision.ts';
import { decideFromScratch, type History } from '../domain/decide-from-scratch.ts';
import { code, eventIdOf, revision } from './records.ts';

/** The world as it mostly is: anna has a code, her campaign runs. */
export function given(overrides: Partial<History>): History {
  return { events: [], codes: [code()], revisions: [revision()], ...overrides };
}

/** All decisions, each in a form that the log takes. */
export function decisionsOn(world: History): DecisionContent[] {
  const decisions = decideFromScratch(world);
  for (const decision of decisions) decisionCodec.encode({ ...decision, version: 1 });
  return decisions;
}

/** The decision on event number `n`. */
export function decisionOn(world: History, n = 1): DecisionContent {
  const found = decisionsOn(world).find((decision) => decision.eventId === eventIdOf(n));
  if (!found) throw new Error(`no decision on event ${n}`);
  return found;
}

/** What was decided about each event, in order of the events: the reason, else the outcome. */
export function endsOf(world: History): string[] {
  return decisionsOn(world).map(({ reason, outcome }) => reason ?? outcome);
}

/** The tests in their order, `+` for passed. */
export function testsOf(decision: DecisionContent): string[] {
  return decision.tests.map(({ test, passed }) => `${passed ? '+' : '-'} ${test}`);
}

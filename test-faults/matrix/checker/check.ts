import type { Evidence } from '../evidence.ts';
import {
  bootsAreKept,
  bootsLeaveOnceAtMost,
  recoveredWaitForOperators,
  userHasOneCode,
} from './boots.ts';
import { versionsAreGivenOnce } from './catalog.ts';
import { issuancesAreDelivered } from './deliveries.ts';
import { numbersAreExplained } from './explanations.ts';
import { ledgerAddsUp } from './ledger.ts';
import { oneRewardPerRule } from './money.ts';
import { canariesAreNowhere, tenantsAreApart } from './privacy.ts';
import { acceptedIsKept, keyHasOneAnswer, unansweredIsOnceAtMost } from './requests.ts';
import { rebuildIsLive, stateIsOfTheFacts } from './state.ts';
import { holds, together, type Verdict } from './verdict.ts';
import {
  refusedStripeLeavesNothing,
  stripeEventHasOneAnswer,
  stripeIsKept,
} from './stripe-events.ts';
import { nothingGoesBack, nothingIsLeft } from './work-done.ts';

/**
 * The promises of the system as they can be seen from outside, by number. They are judged from what
 * customers sent and got, what is on the log and in the tables; nothing of the services' own rules
 * is used.
 */
export const invariants: readonly { number: number; says: string; judge: Judge }[] = [
  {
    ...{ number: 1, says: 'what was accepted is on the log, and once in tables' },
    judge: together(acceptedIsKept, bootsAreKept, stripeIsKept),
  },
  {
    number: 2,
    says: 'no answer is one event at most, a refusal none',
    judge: together(unansweredIsOnceAtMost, bootsLeaveOnceAtMost, refusedStripeLeavesNothing),
  },
  {
    ...{ number: 3, says: 'a key has one event and one answer' },
    judge: together(keyHasOneAnswer, userHasOneCode, stripeEventHasOneAnswer),
  },
  { number: 4, says: 'one reward for each business fact and rule', judge: oneRewardPerRule },
  {
    ...{ number: 5, says: 'the ledger adds up, only grows and is what is explained' },
    judge: together(ledgerAddsUp, recoveredWaitForOperators, numbersAreExplained),
  },
  { number: 6, says: 'each issuance is delivered under one id', judge: issuancesAreDelivered },
  { number: 7, says: 'nothing is left to do or put aside', judge: nothingIsLeft },
  { number: 8, says: 'the state is that of the facts, in any order', judge: stateIsOfTheFacts },
  { number: 9, says: 'a rebuild is the live state and sends nothing', judge: rebuildIsLive },
  {
    ...{ number: 10, says: 'positions and versions never go back' },
    judge: together(nothingGoesBack, versionsAreGivenOnce),
  },
  { number: 11, says: 'no customer sees anything of another', judge: tenantsAreApart },
  {
    number: 12,
    says: 'no personal data or secret where it must not be',
    judge: canariesAreNowhere,
  },
];

type Judge = (evidence: Evidence) => Verdict;

export type Judged = {
  /** Times that the fault was done; at 0, nothing below says anything. */
  fired: number;
  verdicts: { number: number; says: string; verdict: Verdict }[];
};

export function judgeEvidence(evidence: Evidence): Judged {
  const verdicts = invariants.map(({ number, says, judge }) => ({
    ...{ number, says },
    verdict: judgeSafely(judge, evidence),
  }));
  return { fired: evidence.row.fired.length, verdicts };
}

/** The fault was done, all was judged, and all held. */
export function isGreen({ fired, verdicts }: Judged): boolean {
  return fired > 0 && verdicts.every(({ verdict }) => holds(verdict));
}

/** Evidence of a form that no honest system leaves is a broken invariant, too. */
function judgeSafely(judge: Judge, evidence: Evidence): Verdict {
  try {
    return judge(evidence);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { judged: 0, broken: [`it cannot be judged: ${said}`] };
  }
}

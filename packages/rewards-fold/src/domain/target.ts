import type { DecisionTest } from '@tributary/contracts/decision-record';
import type { CalculationStep } from '@tributary/contracts/reward-record';
import { periodName } from './calendar.ts';
import { type Credits, creditsInWords, floorCredits, formatCredits } from './credits.ts';
import { shareOf } from './effect.ts';
import type { Cause, Entitlement, RecipientKey, ReviewReason } from './entitlement.ts';
import type { Grant } from './apply-caps.ts';
import type { Limit, Terms } from './terms.ts';
import type { CandidateReward } from './candidate-reward.ts';

/**
 * What somebody is entitled to by one rule for one fact, before it is compared with what is stored.
 */
export type Target = RecipientKey & {
  rewardId: string;
  campaignId: string;
  /** Entitled now. */
  credits: Credits;
  cause: Cause;
  explanation: readonly string[];
  tests: readonly DecisionTest[];
  calculation: readonly CalculationStep[];
  maturesAt?: string;
  reviews: readonly ReviewReason[];
};

export function targetOf(candidate: CandidateReward, grant: Grant): Target {
  const { rewardId, tenantId, recipientId, campaignId, cause, maturesAt, reviews } = candidate;
  const identity = { rewardId, tenantId, recipientId, campaignId, cause, reviews };
  const texts = { tests: candidate.tests, calculation: candidate.calculation };
  return {
    ...identity,
    ...(maturesAt !== undefined && { maturesAt }),
    ...withGrant(candidate.introduction, texts, candidate, grant),
  };
}

/**
 * How many of a reward's stored sentences come before what limits per recipient and refunds add.
 */
export type OwnTexts = { introduction: number; tests: number; calculation: number };

export function ownTextsOf({ introduction, tests, calculation }: CandidateReward): OwnTexts {
  return {
    introduction: introduction.length,
    tests: tests.length,
    calculation: calculation.length,
  };
}

/** The same reward after limits were counted anew: all but the amount stays as it is stored. */
export function regrant(
  stored: Entitlement,
  own: OwnTexts,
  terms: Terms,
  grant: Grant,
): Target | undefined {
  const { rewardId, tenantId, recipientId, campaignId, cause, maturesAt, reviews } = stored;
  if (!cause) return undefined;
  const texts = {
    tests: stored.tests.slice(0, own.tests),
    calculation: stored.calculation.slice(0, own.calculation),
  };
  return {
    ...{ rewardId, tenantId, recipientId, campaignId, cause, reviews },
    ...(maturesAt !== undefined && { maturesAt }),
    ...withGrant(stored.explanation.slice(0, own.introduction), texts, terms, grant),
  };
}

/** The sentences of an explanation are what led to the fact, then those of the calculation. */
function withGrant(
  introduction: readonly string[],
  own: { tests: readonly DecisionTest[]; calculation: readonly CalculationStep[] },
  terms: Terms,
  grant: Grant,
): Pick<Target, 'credits' | 'explanation' | 'tests' | 'calculation'> {
  const calculation = [
    ...own.calculation,
    ...limitSteps(terms, grant),
    ...refundSteps(terms, grant),
  ];
  return {
    credits: grant.entitled,
    tests: [...own.tests, ...limitTests(terms, grant)],
    calculation,
    explanation: [...introduction, ...calculation.map((step) => step.detail)],
  };
}

function limitSteps(terms: Terms, { rooms }: Grant): CalculationStep[] {
  if (terms.wanted === 0n) return [];
  let credits = terms.wanted;
  return terms.limits.map((limit, i) => {
    const room = rooms[i];
    if (room !== undefined)
      credits = limit.measure === 'credits' ? floorCredits(room, terms.scale) : 0n;
    return {
      step: 'limit',
      detail: `Limit: ${limitText(limit, terms, room)}.`,
      credits: formatCredits(credits),
    };
  });
}

function limitTests(terms: Terms, { rooms }: Grant): DecisionTest[] {
  if (terms.wanted === 0n) return [];
  return terms.limits.map((limit, i) => ({
    test: `${limit.measure} per ${limit.period === 'lifetime' ? 'recipient' : limit.period}`,
    passed: rooms[i] === undefined,
    detail: limitText(limit, terms, rooms[i]),
  }));
}

/** How much is left while a limit does not matter is not said: it changes with every other fact. */
function limitText(limit: Limit, { second }: Terms, room: bigint | undefined): string {
  const when = periodName(limit.period, second);
  const isCredits = limit.measure === 'credits';
  const most = isCredits
    ? creditsInWords(limit.cap)
    : `${limit.cap} ${limit.cap === 1n ? 'reward' : 'rewards'}`;
  if (room === undefined) return `at most ${most} ${when}; there is room for this`;
  const left = isCredits
    ? `${creditsInWords(room)} ${room === 1_000_000n ? 'was' : 'were'}`
    : 'none was';
  return `at most ${most} ${when}; ${left} left`;
}

function refundSteps(terms: Terms, { granted }: Grant): CalculationStep[] {
  return terms.refunds.map(({ eventId, left, detail }) => {
    const rest = shareOf(granted, left, terms.scale);
    const texts = `${detail}: ${creditsInWords(rest)}.`;
    return { step: 'refund', detail: texts, credits: formatCredits(rest), eventId };
  });
}

import type { Entitlement, RecipientKey } from './entitlement.ts';
import type { CampaignKey, LookBack } from './look-back.ts';
import type { CapCounter, CapCounterKey, SeriesRange, StoredTerms } from './cap-counter.ts';
import type { Claim, LaneKey, ReferralKey } from './step.ts';
import type { Boundaries, SortKeyRange } from './tiers.ts';

/** A recipient and a business fact that rewards it, or once did. */
export type Touch = RecipientKey & { businessKey: string };

/** Rewards hang on a business fact, not on the event that reported it. */
export type BusinessFact = { tenantId: string; businessKey: string };

/**
 * What the fold asks of the tables. It knows only as it goes what it needs next, and domain code
 * does no IO; so it is a generator that yields questions and is sent the answers.
 * Every question is about all recipients of a batch at once: the number of statements does not grow
 * with it. All is asked under the locks of the recipients.
 */
export type Questions = {
  /** By {@link campaignName}. */
  lookBacks: { about: readonly CampaignKey[]; answer: ReadonlyMap<string, LookBack> };
  /**
   * Counts these users anew, in these lanes, and says where thresholds are reached: as it was when
   * last asked, and now. One answer for each lane.
   */
  boundaries: {
    about: readonly TierQuestion[];
    answer: readonly { before: Boundaries; after: Boundaries }[];
  };
  /** Claims of the decisions that hold steps: of a referrer, by their place. */
  stepsBetween: { about: readonly (LaneKey & SortKeyRange)[]; answer: readonly Claim[] };
  /** The same, by user. */
  stepsOfReferrals: { about: readonly ReferralKey[]; answer: readonly Claim[] };
  /** The same, by business fact. */
  stepsOfFacts: { about: readonly BusinessFact[]; answer: readonly Claim[] };
  storedTerms: { about: readonly Touch[]; answer: readonly StoredTerms[] };
  termsBetween: { about: readonly SeriesRange[]; answer: readonly StoredTerms[] };
  counters: { about: readonly CapCounterKey[]; answer: readonly CapCounter[] };
  /** Rewards of these touches, and these rewards by id. */
  entitlements: {
    about: { facts: readonly BusinessFact[]; rewardIds: readonly string[] };
    answer: readonly Entitlement[];
  };
};

export type TierQuestion = LaneKey & {
  thresholds: readonly number[];
  newUserIds: readonly string[];
};

export type Question = {
  [Name in keyof Questions]: { name: Name; about: Questions[Name]['about'] };
}[keyof Questions];

/** What {@link Dialogue} may be driven by, with answers at once or later. */
export type Answers<Later extends boolean> = {
  [Name in keyof Questions]: (
    about: Questions[Name]['about'],
  ) => Later extends true ? Promise<Questions[Name]['answer']> : Questions[Name]['answer'];
};

export type Dialogue<Result> = Generator<Question, Result, unknown>;

/** Yields a question; its answer has the type that {@link Questions} says. */
export function* ask<Name extends keyof Questions>(
  name: Name,
  about: Questions[Name]['about'],
): Dialogue<Questions[Name]['answer']> {
  return (yield { name, about } as Question) as Questions[Name]['answer'];
}

/** Text that names a recipient or a fact. A tenant id holds no `:`, so no two are alike. */
export function recipientName({ tenantId, recipientId }: RecipientKey): string {
  return `${tenantId}:${recipientId}`;
}

export function factName({ tenantId, businessKey }: BusinessFact): string {
  return `${tenantId}:${businessKey}`;
}

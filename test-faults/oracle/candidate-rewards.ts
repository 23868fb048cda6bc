import type { CampaignRule, Effect } from '@tributary/contracts/campaign-rule';
import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { minorUnitExponent } from '@tributary/contracts/currency';
import type { Payment } from '@tributary/contracts/event-record';
import { addMonths } from './calendar.ts';
import type { ExpectedDecision } from './decisions.ts';
import { lookUp } from './look-up.ts';
import {
  by,
  compare,
  decimal,
  roundHalfEven,
  times,
  whole,
  zero,
  type Rational,
} from './rational.ts';
import { inOrder, isPurchase, isReferral, occurred, type Referral, type World } from './world.ts';

export type Role = 'referrer' | 'new-user';

/** An attributed fact with what it was attributed to. */
export type Attributed = {
  event: Referral;
  decision: ExpectedDecision;
  revision: CampaignRevisionRecord;
  referrerId: string;
};

/** What a rule would give one recipient for one fact, if no recipient had a limit. */
export type CandidateReward = Attributed & {
  rule: CampaignRule;
  role: Role;
  recipientId: string;
  wanted: Rational;
};

/** Those of one tenant. */
export function attributedOf(
  world: World,
  decisions: ReadonlyMap<string, ExpectedDecision>,
): Attributed[] {
  return world.events.filter(isReferral).flatMap((event) => {
    const decision = decisions.get(event.eventId)!;
    const { outcome, campaignId, campaignRevision, referrerId } = decision;
    if (outcome !== 'attributed') return [];
    const revision = world.revisions.find(
      (r) => r.campaignId === campaignId && r.revision === campaignRevision,
    )!;
    return [{ event, decision, revision, referrerId: referrerId! }];
  });
}

export function candidatesOf(all: readonly Attributed[], one: Attributed): CandidateReward[] {
  return (['referrer', 'new-user'] as const).flatMap((role) => {
    const matching = one.revision.rules.filter((rule) => matches(rule, role, one.event));
    const applied = one.revision.ruleMatching === 'first' ? matching.slice(0, 1) : matching;
    const recipientId = role === 'referrer' ? one.referrerId : one.event.newUser.id;
    return applied.map((rule) => {
      const wanted = isWithinReferral(all, one, rule) ? effectOf(all, one, rule, role) : zero;
      return { ...one, rule, role, recipientId, wanted };
    });
  });
}

function matches(rule: CampaignRule, role: Role, event: Referral): boolean {
  if (rule.trigger !== event.eventType) return false;
  if (rule.recipient !== role && rule.recipient !== 'both') return false;
  return !isPurchase(event) || meetsConditions(rule.conditions ?? {}, event.purchase);
}

function meetsConditions(
  conditions: NonNullable<CampaignRule['conditions']>,
  { currency, amount, subscription }: Payment,
): boolean {
  const { intervals, productKeys, currencies, minimumAmounts, minimumSeats } = conditions;
  const isOneOf = (list: readonly string[] | undefined, value: string | undefined) =>
    list === undefined || list.length === 0 || (value !== undefined && list.includes(value));
  const minimumAmount = minimumAmounts?.[currency];
  const seats = subscription?.seatsUsed;
  return (
    isOneOf(intervals, subscription?.interval) &&
    isOneOf(productKeys, subscription?.productKey) &&
    isOneOf(currencies, currency) &&
    (minimumAmounts === undefined || (minimumAmount !== undefined && amount >= minimumAmount)) &&
    (minimumSeats === undefined || (seats !== undefined && BigInt(seats) >= BigInt(minimumSeats)))
  );
}

/** The first so many purchases, the first so many months, of this user by this referrer. */
function isWithinReferral(
  all: readonly Attributed[],
  one: Attributed,
  rule: CampaignRule,
): boolean {
  const { firstPurchases, months } = rule.limits ?? {};
  const referral = byReferrer(all, referrerOf(one))
    .filter((other) => other.event.newUser.id === one.event.newUser.id)
    .sort((a, b) => inOrder(a.event, b.event));
  const purchases = referral.filter((other) => isPurchase(other.event));
  if (firstPurchases !== undefined && purchases.indexOf(one) >= firstPurchases) return false;
  if (months === undefined) return true;
  return compare(occurred(one.event), addMonths(occurred(referral[0]!.event), months)) < 0;
}

function effectOf(
  all: readonly Attributed[],
  one: Attributed,
  rule: CampaignRule,
  role: Role,
): Rational {
  const isSecondOfBoth = rule.recipient === 'both' && role === 'new-user';
  const effect: Effect = isSecondOfBoth ? rule.newUserEffect! : rule.effect;
  if (effect.kind !== 'tiered') return amountOf(effect, one);
  const count = countOf(all, one);
  const reached = effect.tiers.filter((tier, i) => i === 0 || tier.fromCount <= count);
  return amountOf(reached.at(-1)!.effect, one);
}

function amountOf(
  effect: Exclude<Effect, { kind: 'tiered' }>,
  { event, revision }: Attributed,
): Rational {
  if (effect.kind === 'fixed') return roundHalfEven(decimal(effect.credits), revision.creditScale);
  if (!isPurchase(event)) return zero;
  const { amount, currency } = event.purchase;
  const creditsPerMajorUnit = effect.creditsPerMajorUnit[currency];
  if (creditsPerMajorUnit === undefined) return zero;
  return percentOf({
    ...{ amount, exponent: minorUnitExponent(currency)!, basisPoints: effect.basisPoints },
    ...{ creditsPerMajorUnit, creditScale: revision.creditScale },
  });
}

export function percentOf(paid: {
  amount: number;
  exponent: number;
  basisPoints: number;
  creditsPerMajorUnit: string;
  creditScale: number;
}): Rational {
  const majorUnits = by(whole(paid.amount), whole(10n ** BigInt(paid.exponent)));
  const share = by(times(majorUnits, whole(paid.basisPoints)), whole(10_000));
  return roundHalfEven(times(share, decimal(paid.creditsPerMajorUnit)), paid.creditScale);
}

/** Counts users that the referrer has brought to a purchase that stands, up to this fact. */
function countOf(all: readonly Attributed[], one: Attributed): number {
  const counted = byReferrer(all, referrerOf(one))
    .filter((other) => isPurchase(other.event) && !isFullyReversed(other))
    .filter((other) => inOrder(other.event, one.event) <= 0);
  return new Set(counted.map((other) => other.event.newUser.id)).size;
}

function isFullyReversed({ decision }: Attributed): boolean {
  return decision.reversals.some((step) => step.full);
}

/** Whose tiers and months it counts for: a referrer in a campaign. */
function referrerOf({ revision, referrerId }: Attributed): string {
  return JSON.stringify([revision.campaignId, referrerId]);
}

const byReferrer = lookUp((one: Attributed) => [referrerOf(one)]);

import type {
  CampaignRule,
  Effect,
  FixedEffect,
  PercentEffect,
  RecipientLimit,
} from '@tributary/contracts/campaign-rule';
import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { DecisionRecord, DecisionReview } from '@tributary/contracts/decision-record';
import fc from 'fast-check';
import { asDuplicate, purchaseDecision, revisionOf, signupDecision } from './records.ts';

/** Histories that meet each other: few people, few campaigns, close times, low caps. */

const fixed: fc.Arbitrary<FixedEffect> = fc.record({
  kind: fc.constant('fixed' as const),
  credits: fc.constantFrom('1', '2.5', '4', '0.004'),
});
const percent: fc.Arbitrary<PercentEffect> = fc.record({
  kind: fc.constant('percent' as const),
  basisPoints: fc.constantFrom(1, 1_000, 3_333),
  creditsPerMajorUnit: fc.constantFrom({ EUR: '1' }, { EUR: '0.07', JPY: '1', BHD: '3' }),
});
const flat = fc.oneof(fixed, percent);
const effect: fc.Arbitrary<Effect> = fc.oneof(
  { weight: 2, arbitrary: flat },
  {
    weight: 2,
    arbitrary: fc
      .uniqueArray(fc.integer({ min: 2, max: 4 }), { maxLength: 2 })
      .chain((counts) => fc.tuple(...[1, ...counts].map((n) => fc.tuple(fc.constant(n), flat))))
      .map((tiers) => ({
        kind: 'tiered' as const,
        tiers: tiers.map(([fromCount, effect]) => ({ fromCount, effect })),
      })),
  },
);
const recipientLimit: fc.Arbitrary<RecipientLimit> = fc
  .record({
    period: fc.constantFrom('day' as const, 'week' as const, 'month' as const, 'lifetime' as const),
    credits: fc.option(fc.constantFrom('3', '5.55', '9', '20'), { nil: undefined }),
    count: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  })
  .map(defined);

const rule: fc.Arbitrary<CampaignRule> = fc
  .record({
    ruleId: fc.constantFrom('a', 'b'),
    trigger: fc.constantFrom(
      'purchase-created' as const,
      'purchase-created' as const,
      'signup-created' as const,
    ),
    recipient: fc.constantFrom('referrer' as const, 'new-user' as const, 'both' as const),
    effect,
    newUserEffect: fc.option(flat, { nil: undefined }),
    conditions: fc.option(fc.constant({ minimumAmounts: { EUR: 100 } }), {
      nil: undefined,
      freq: 4,
    }),
    limits: fc
      .record({
        firstPurchases: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined, freq: 2 }),
        months: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined, freq: 2 }),
        perRecipient: fc.option(fc.array(recipientLimit, { minLength: 1, maxLength: 3 }), {
          nil: undefined,
          freq: 4,
        }),
      })
      .map(defined),
    holdDays: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
    refundPolicy: fc.constantFrom('proportional' as const, 'full' as const, 'keep' as const),
  })
  .map(({ newUserEffect, ...more }) => {
    const own = more.recipient === 'both' && newUserEffect ? { newUserEffect } : {};
    const effect = more.recipient === 'new-user' ? flatOf(more.effect) : more.effect;
    return defined({ ...more, ...own, effect });
  });

function flatOf(effect: Effect): Effect {
  return effect.kind === 'tiered' ? effect.tiers[0]!.effect : effect;
}

/** Revisions 1 and 2 of campaigns c1 and c2. */
export const revisions: fc.Arbitrary<CampaignRevisionRecord[]> = fc
  .array(
    fc.record({
      rules: fc.uniqueArray(rule, { minLength: 1, maxLength: 2, selector: (r) => r.ruleId }),
      creditScale: fc.integer({ min: 0, max: 3 }),
      ruleMatching: fc.constantFrom('all' as const, 'first' as const),
      publishedAt: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-03-01T10:00:02.000Z'),
    }),
    { minLength: 4, maxLength: 4 },
  )
  .map((four) =>
    four.map((one, i) =>
      revisionOf({ ...one, campaignId: i < 2 ? 'c1' : 'c2', revision: (i % 2) + 1 }),
    ),
  );

/** Around a month's and a week's end, some at the same moment, some closer than microseconds. */
/** Few decisions are to be reviewed. */
const reviews: DecisionReview[] = ['referral-loop', 'recovered-signup'];
const second = Date.UTC(2026, 1, 28) / 1000;
const moment = fc
  .record({
    day: fc.constantFrom(0, 0, 0, 1, 2, 3, 9, 35, 65),
    hour: fc.constantFrom(0, 0, 1, 12),
    fraction: fc.constantFrom('', '', '.5', '.0000001', '.00000010000000000000000000000001'),
    receivedAt: fc.constantFrom('2026-03-01T10:00:01.000Z', '2026-03-01T10:00:03.000Z'),
  })
  .map(({ day, hour, fraction, receivedAt }) => {
    const whole = second + day * 86_400 + hour * 3_600;
    const text = new Date(whole * 1000).toISOString().slice(0, 19);
    return {
      occurredAt: `${text}${fraction}Z`,
      occurredAtSeconds: `${whole}${fraction}`,
      receivedAt,
    };
  });

const reversals = fc
  .array(fc.record({ at: moment, share: fc.integer({ min: 0, max: 4 }) }), { maxLength: 3 })
  .map((list) => {
    let sum = 0;
    return list.map(({ at, share }) => ({ at, share: (sum = Math.max(sum, share)) }));
  });

/** A decision through its versions: who it credits, under which revision, or nobody. */
const decisionHistory = fc
  .record({
    n: fc.integer({ min: 1, max: 14 }),
    invoice: fc.integer({ min: 1, max: 14 }),
    newUserId: fc.constantFrom('udo', 'ute', 'uli', 'bert'),
    signup: fc.integer({ min: 0, max: 4 }).map((x) => x === 0),
    at: moment,
    amount: fc.constantFrom(0, 99, 100, 1_000, 3_333),
    currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'JPY', 'BHD'),
    forms: fc.array(
      fc.record({
        referrerId: fc.constantFrom('anna', 'anna', 'anna', 'bert', 'cleo'),
        campaignId: fc.constantFrom('c1', 'c1', 'c2'),
        campaignRevision: fc.constantFrom(1, 2),
        attributed: fc.integer({ min: 0, max: 4 }).map((x) => x > 0),
        review: fc.integer({ min: 0, max: 9 }).map((x) => reviews[x]),
        reversals,
      }),
      { minLength: 1, maxLength: 3 },
    ),
  })
  .map(({ n, invoice, newUserId, signup, at, amount, currency, forms }) =>
    forms.map((form, i): DecisionRecord => {
      const { attributed, review, reversals, ...credited } = form;
      const details = {
        ...credited,
        ...at,
        newUserId,
        version: i + 1,
        ...(review !== undefined && { review: [review] }),
      };
      if (signup) return named(signupDecision(n, details), attributed, i + 1);
      const steps = reversals.map(({ at, share }, r) => ({
        eventId: `refund-${n}-${r}`,
        ...at,
        reversedAmount: Math.floor((amount * share) / 4),
        full: share === 4 || amount === 0,
      }));
      const purchase = { invoiceId: `inv_${invoice}`, amount, currency };
      const decision = purchaseDecision(n, {
        invoice,
        ...details,
        purchase,
        ...(steps.length > 0 && { reversals: steps }),
      });
      return named(decision, attributed, i + 1);
    }),
  );

function named(decision: DecisionRecord, attributed: boolean, version: number): DecisionRecord {
  return attributed ? decision : { ...asDuplicate(decision, 'other'), version };
}

/** Decision records of several decisions, in any order, some twice. */
export const shuffledRecords: fc.Arbitrary<DecisionRecord[]> = fc
  .uniqueArray(decisionHistory, {
    selector: (history) => history[0]?.decisionId,
    minLength: 1,
    maxLength: 14,
  })
  .chain((histories) => {
    const records = histories.flat();
    return fc.array(fc.nat({ max: records.length - 1 }), { maxLength: 4 }).chain((again) =>
      fc.shuffledSubarray([...records, ...again.map((i) => records[i]!)], {
        minLength: records.length + again.length,
      }),
    );
  });

/** A single limit, of another height in each revision. */
const oneLimit = fc
  .record({
    period: fc.constantFrom('week' as const, 'month' as const, 'lifetime' as const),
    caps: fc.constantFrom(['3', '5'], ['7', '7'], ['12', '2.5'], [4, 2], [3, 3]),
  })
  .map(({ period, caps }) =>
    caps.map((cap): RecipientLimit[] => [
      typeof cap === 'string' ? { period, credits: cap } : { period, count: cap },
    ]),
  );

/** Many purchases that meet the same few limits of one rule, refunded and moved here and there. */
export const limitHistories = fc
  .record({
    limits: fc.oneof(
      fc.array(fc.array(recipientLimit, { minLength: 1, maxLength: 3 }), {
        minLength: 2,
        maxLength: 2,
      }),
      oneLimit,
    ),
    policy: fc.constantFrom('proportional' as const, 'proportional' as const, 'full' as const),
    scales: fc.constantFrom([6, 6], [0, 0], [0, 2]),
    batch: fc.integer({ min: 1, max: 4 }),
    inOrder: fc.boolean(),
    facts: fc.array(
      fc.record({
        at: moment,
        amount: fc.constantFrom(100, 200, 300, 500),
        refunds: fc.array(moment, { maxLength: 2 }),
        revision: fc.constantFrom(1, 1, 1, 2),
        atOnce: fc.boolean(),
        second: fc.option(
          fc.record({
            at: moment,
            referrerId: fc.constantFrom('anna', 'anna', 'bert'),
            campaignRevision: fc.constantFrom(1, 2),
          }),
          { nil: undefined, freq: 4 },
        ),
      }),
      { minLength: 5, maxLength: 30 },
    ),
  })
  .map(({ limits, policy, scales, batch, inOrder, facts }) => {
    const effect = {
      kind: 'percent' as const,
      basisPoints: 10_000,
      creditsPerMajorUnit: { EUR: '1' },
    };
    const revisions = limits.map((perRecipient, i) =>
      revisionOf({
        revision: i + 1,
        creditScale: scales[i]!,
        rules: [
          {
            ruleId: 'a',
            trigger: 'purchase-created',
            recipient: 'referrer',
            effect,
            limits: { perRecipient },
            refundPolicy: policy,
          },
        ],
      }),
    );
    const records = facts.flatMap(({ at, amount, refunds, revision, second, atOnce }, i) => {
      const purchase = { invoiceId: `inv_${i}`, amount, currency: 'EUR' };
      const details = { ...at, purchase, campaignRevision: revision };
      const first = purchaseDecision(i, details);
      const reversals = refunds.map((refund, r) => ({
        ...refund,
        eventId: `refund-${i}-${r}`,
        reversedAmount: amount * (r === 0 ? 0.5 : 0.7),
        full: false,
      }));
      const later = { ...first, version: 2, ...(reversals.length > 0 && { reversals }) };
      const { at: then, ...credited } = second ?? {};
      return [
        ...(reversals.length > 0 && atOnce ? [] : [first]),
        ...(reversals.length > 0 ? [later] : []),
        ...(second ? [{ ...later, ...then, ...credited, version: 3 }] : []),
      ];
    });
    const ordered = records.toSorted(
      (a, b) => Number(a.occurredAtSeconds) - Number(b.occurredAtSeconds),
    );
    return { revisions, batch, records: inOrder ? ordered : records };
  });

/** Without members that are undefined: an absent option is not a member. */
function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

import type {
  CampaignRule,
  Effect,
  RecipientLimit,
  RuleConditions,
  RuleLimits,
} from '@tributary/contracts/campaign-rule';
import fc from 'fast-check';

/** How often a rule has what. */
export type RuleStyle = { conditions: number; limits: number };

export const ruleStyles = {
  plain: { conditions: 0.1, limits: 0.2 },
  tricky: { conditions: 0.25, limits: 0.9 },
} as const;

/** Rules of one revision: few ids, so that revisions share them and their limits. */
export function campaignRules(style: RuleStyle): fc.Arbitrary<CampaignRule[]> {
  return fc
    .tuple(
      fc.subarray(['r1', 'r2', 'r3'], { minLength: 1 }),
      fc.tuple(rule(style), rule(style), rule(style)),
    )
    .map(([ids, made]) => ids.map((ruleId, i) => made[i]!(ruleId)));
}

type MakeRule = (ruleId: string) => CampaignRule;

function rule(style: RuleStyle): fc.Arbitrary<MakeRule> {
  const trigger = fc.oneof(
    { arbitrary: fc.constant('purchase-created' as const), weight: 6 },
    { arbitrary: fc.constantFrom('signup-created', 'demo-attended'), weight: 1 },
  );
  return fc
    .record({
      trigger,
      recipient: fc.constantFrom('referrer', 'new-user', 'both'),
      effects: fc.record({ fixed, percent, tiered }),
      kind: fc.constantFrom('fixed', 'percent', 'tiered'),
      newUserKind: fc.constantFrom('fixed', 'percent'),
      conditions: sometimes(style.conditions, conditions),
      limits: sometimes(style.limits, limits),
      holdDays: fc.constantFrom(undefined, 0, 14),
      refundPolicy: fc.constantFrom(undefined, 'proportional', 'full', 'keep'),
    })
    .map((drawn) => (ruleId: string) => {
      const { trigger: on, recipient, effects, holdDays, refundPolicy } = drawn;
      const isPaid = on === 'purchase-created';
      const fits = drawn.kind !== 'tiered' || recipient !== 'new-user';
      // Percents and tiers are of purchases; tiers are the referrer's.
      const effect: Effect = isPaid && fits ? effects[drawn.kind] : effects.fixed;
      const newUserEffect = isPaid ? effects[drawn.newUserKind] : effects.fixed;
      return {
        ...{ ruleId, trigger: on, recipient, effect },
        ...(recipient === 'both' && { newUserEffect }),
        ...(isPaid && drawn.conditions && { conditions: drawn.conditions }),
        ...(drawn.limits && { limits: fitting(drawn.limits, isPaid) }),
        ...(holdDays !== undefined && { holdDays }),
        ...(refundPolicy !== undefined && { refundPolicy }),
      };
    });
}

function sometimes<T>(chance: number, value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  const weight = Math.round(chance * 100);
  return fc.oneof(
    { arbitrary: fc.constant(undefined), weight: 100 - weight },
    { arbitrary: value, weight },
  );
}

/** Only purchases are counted. */
function fitting(
  { firstPurchases, months, perRecipient }: RuleLimits,
  isPaid: boolean,
): RuleLimits {
  return {
    ...(isPaid && firstPurchases !== undefined && { firstPurchases }),
    ...(months !== undefined && { months }),
    ...(perRecipient && { perRecipient }),
  };
}

const fixed = fc.record({
  kind: fc.constant('fixed' as const),
  credits: fc.constantFrom('1', '2.5', '10', '0.5', '1.005', '0.000001', '100'),
});

const percent = fc.record({
  kind: fc.constant('percent' as const),
  basisPoints: fc.constantFrom(1_000, 1, 333, 5_000, 10_000, 1_000_000),
  creditsPerMajorUnit: fc
    .subarray(['JPY', 'KWD', 'CLF'])
    .chain((others) =>
      fc
        .tuple(fc.constantFrom(['EUR'], ['EUR', ...others]), rate, rate)
        .map(([codes, one, other]) =>
          Object.fromEntries(codes.map((code, i) => [code, i % 2 === 0 ? one : other])),
        ),
    ),
});

const rate = fc.constantFrom('1', '10', '0.333333', '2.5');

const tiered = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom(2, 3, 4), { maxLength: 2 }),
    fc.array(fc.oneof(fixed, percent), { minLength: 3, maxLength: 3 }),
  )
  .map(([counts, effects]) => ({
    kind: 'tiered' as const,
    tiers: [1, ...counts.sort((a, b) => a - b)].map((fromCount, i) => ({
      fromCount,
      effect: effects[i]!,
    })),
  }));

const conditions: fc.Arbitrary<RuleConditions> = fc.record(
  {
    intervals: fc.constant(['monthly' as const]),
    productKeys: fc.constant(['pro']),
    currencies: fc.constantFrom(['EUR'], ['JPY', 'KWD']),
    minimumAmounts: fc.constantFrom({ EUR: 100 }, { EUR: 1000, JPY: 1 }),
    minimumSeats: fc.constantFrom(1, 10),
  },
  { requiredKeys: [] },
);

const credits = fc.constantFrom('10', '1', '2.5', '100.125', '1000000');

const recipientLimit: fc.Arbitrary<RecipientLimit> = fc
  .record({
    period: fc.constantFrom('lifetime', 'day', 'week', 'month'),
    measure: fc.constantFrom('credits', 'count', 'both'),
    credits,
    count: fc.constantFrom(1, 2, 3),
  })
  .map(({ period, measure, ...limit }) => ({
    period,
    ...(measure !== 'count' && { credits: limit.credits }),
    ...(measure !== 'credits' && { count: limit.count }),
  }));

const limits: fc.Arbitrary<RuleLimits> = fc.record(
  {
    firstPurchases: fc.constantFrom(1, 2),
    months: fc.constantFrom(1, 2),
    perRecipient: fc.array(recipientLimit, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: [] },
);

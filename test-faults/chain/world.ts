import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import type { CampaignRevisionRecord, TenantRecord } from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import type { EventRecord, Payment } from '@tributary/contracts/event-record';
import { createRandom, type Random } from './random.ts';
import {
  codeOf,
  demo,
  purchase,
  refund,
  revisionOf,
  signup,
  startOfTime,
  tenantOf,
} from './records.ts';

/**
 * A set of facts in which everything that design 7 speaks of happens many times: two tenants (one
 * of mode `first-code`), three campaigns with two revisions each, codes that are known, appear
 * later, too late, are disabled or never appear, users who refer each other and themselves, one
 * invoice from several sources and under several names, refunds in parts, in copies, too many and
 * too early, limits, tiers, holds and rules for both sides.
 */
export type World = {
  catalog: (TenantRecord | CampaignRevisionRecord)[];
  codes: CodeRecord[];
  events: EventRecord[];
};

export function makeWorld(seed: number, eventCount: number): World {
  const random = createRandom(seed);
  const catalog = tenantIds.flatMap(catalogOf);
  const codes = tenantIds.flatMap((tenantId) =>
    Array.from({ length: referrers }, (_, i) => codesOf(random, tenantId, i)).flat(),
  );
  const events: EventRecord[] = [];
  const paid: Paid[] = [];
  while (events.length < eventCount) events.push(makeEvent(random, events.length, paid));
  return { catalog, codes, events };
}

const tenantIds = ['t-event', 't-first'];
/** Per tenant. Few, so that each has a long lane; they are users too. */
const referrers = 24;
const users = 240;

const day = 86_400_000;
const begin = Date.UTC(2026, 0, 1);
/** Half a year, from which the second revisions hold in the middle. */
const spanDays = 180;
const midway = new Date(begin + (spanDays / 2) * day).toISOString();

const rates = { EUR: '1', JPY: '0.0061', BHD: '2.4' };
const percent = (basisPoints: number) =>
  ({ kind: 'percent', basisPoints, creditsPerMajorUnit: rates }) as const;
const fixed = (credits: string) => ({ kind: 'fixed', credits }) as const;

type Rules = readonly [first: CampaignRule[], second: CampaignRule[]];

const cappedRules: Rules = [
  [
    {
      ruleId: 'share',
      trigger: 'purchase-created',
      recipient: 'referrer',
      effect: percent(1_000),
      limits: {
        perRecipient: [
          { period: 'month', credits: '40' },
          { period: 'day', count: 2 },
        ],
      },
    },
    {
      ruleId: 'welcome',
      trigger: 'signup-created',
      recipient: 'both',
      effect: fixed('2.50'),
      newUserEffect: fixed('1'),
      limits: { perRecipient: [{ period: 'lifetime', count: 8 }] },
      holdDays: 3_650,
    },
  ],
  [
    {
      ruleId: 'share',
      trigger: 'purchase-created',
      recipient: 'referrer',
      effect: percent(750),
      limits: { firstPurchases: 4, perRecipient: [{ period: 'month', credits: '25' }] },
      holdDays: 14,
    },
  ],
];

const tierRules: Rules = [
  [
    {
      ruleId: 'tiers',
      trigger: 'purchase-created',
      recipient: 'referrer',
      effect: {
        kind: 'tiered',
        tiers: [
          { fromCount: 1, effect: percent(500) },
          { fromCount: 3, effect: fixed('7') },
          { fromCount: 6, effect: percent(2_000) },
        ],
      },
      refundPolicy: 'full',
    },
    {
      ruleId: 'both',
      trigger: 'purchase-created',
      recipient: 'both',
      effect: fixed('3'),
      newUserEffect: percent(300),
      limits: { firstPurchases: 2, months: 2 },
      holdDays: 30,
    },
  ],
  [
    {
      ruleId: 'tiers',
      trigger: 'purchase-created',
      recipient: 'referrer',
      effect: {
        kind: 'tiered',
        tiers: [
          { fromCount: 1, effect: fixed('4') },
          { fromCount: 4, effect: fixed('9') },
        ],
      },
      limits: { perRecipient: [{ period: 'week', credits: '30' }] },
    },
  ],
];

const strictRules: Rules = [
  [
    {
      ruleId: 'large',
      trigger: 'purchase-created',
      recipient: 'referrer',
      effect: fixed('20'),
      conditions: { minimumAmounts: { EUR: 6_000, JPY: 9_000 } },
      refundPolicy: 'keep',
    },
    {
      ruleId: 'small',
      trigger: 'purchase-created',
      recipient: 'referrer',
      effect: fixed('5'),
      conditions: { currencies: ['EUR', 'BHD'], intervals: ['monthly'] },
    },
    {
      ruleId: 'talk',
      trigger: 'demo-attended',
      recipient: 'referrer',
      effect: fixed('1.25'),
      limits: { perRecipient: [{ period: 'lifetime', credits: '12' }] },
    },
  ],
  [
    {
      ruleId: 'large',
      trigger: 'purchase-created',
      recipient: 'new-user',
      effect: percent(100),
      limits: { perRecipient: [{ period: 'lifetime', count: 3 }] },
    },
  ],
];

function catalogOf(tenantId: string): World['catalog'] {
  const campaigns: Record<string, [Rules, Partial<CampaignRevisionRecord>]> = {
    capped: [cappedRules, {}],
    tiers: [tierRules, { referralLoops: 'review', creditScale: 0 }],
    strict: [
      strictRules,
      { attributionWindowDays: 45, existingUsers: 'exclude', ruleMatching: 'first' },
    ],
  };
  const revisions = Object.entries(campaigns).flatMap(([campaignId, [rules, settings]]) => [
    revisionOf({ tenantId, campaignId, ...settings, rules: rules[0] }),
    revisionOf({
      tenantId,
      campaignId,
      ...settings,
      revision: 2,
      effectiveFrom: midway,
      // A month in which the campaign of one tenant stands still.
      ...(tenantId === 't-event' && campaignId === 'strict' && { status: 'stopped' as const }),
      rules: rules[1],
    }),
  ]);
  const mode = tenantId === 't-first' ? 'first-code' : 'event-code';
  return [tenantOf({ tenantId, attributionMode: mode }), ...revisions];
}

const campaignIds = ['capped', 'tiers', 'strict'];
/** Referrers are users with low numbers, so that loops and self-referrals happen. */
const userName = (n: number) => `user-${n}`;
/** In the form of derived codes, to which the limit for custom ones does not apply. */
const derivedUcc = (i: number) => `Code0000${String(i).padStart(3, '0')}`;
const customUcc = (i: number) => `custom-of-${i}`;

/**
 * Most codes are there from the start; others come days later, when they may still count, or not.
 */
function codesOf(random: Random, tenantId: string, i: number): CodeRecord[] {
  const issuedOn = (shares: number) => {
    const late = random.happens(shares) ? random.below(spanDays) : undefined;
    return late === undefined ? startOfTime : new Date(begin + late * day).toISOString();
  };
  const shared = {
    tenantId,
    campaignId: campaignIds[i % campaignIds.length]!,
    productUserId: userName(i),
  };
  const derived = codeOf({ ...shared, ucc: derivedUcc(i), at: issuedOn(0.4) });
  const custom = codeOf({ ...shared, ucc: customUcc(i), at: issuedOn(0.4) });
  if (i % 8 !== 7) return [derived, custom];
  const at = new Date(begin + random.below(spanDays) * day).toISOString();
  return [derived, custom, { ...custom, type: 'code-disabled', version: 2, at }];
}

type Paid = { tenantId: string; userId: string; ucc: string; at: number; payment: Payment };

function makeEvent(random: Random, n: number, paid: Paid[]): EventRecord {
  const tenantId = tenantIds[random.below(2)]!;
  const user = random.below(users);
  const details = {
    n,
    tenantId,
    userId: userName(user),
    ucc: pickUcc(random, user),
    // Few distinct times: the canonical order goes by its further members too.
    occurredAt: new Date(begin + random.below(spanDays * 8) * (day / 8)).toISOString(),
  };
  const kind = random.below(100);
  if (kind < 10) return signup({ ...details, ...receivedLater(random, details.occurredAt) });
  if (kind < 18) return demo({ ...details, ...receivedLater(random, details.occurredAt) });
  if (kind < 70 || paid.length < 20) return newPurchase(random, details, paid);
  const earlier = paid[random.below(paid.length)]!;
  return kind < 82 ? samePurchase(random, details, earlier) : refundOf(random, details, earlier);
}

type EventNow = { n: number; tenantId: string; userId: string; ucc: string; occurredAt: string };

/**
 * A user has few codes: mostly that of one referrer, now and then another's, a stranger's or their
 * own.
 */
function pickUcc(random: Random, user: number): string {
  const kind = random.below(100);
  if (kind < 4) return `nobodys-${random.below(20)}`;
  const referrer = kind < 70 ? user % referrers : random.below(referrers);
  return kind % 4 === 0 ? customUcc(referrer) : derivedUcc(referrer);
}

function receivedLater(random: Random, occurredAt: string): { receivedAt: string } {
  const laterMs = random.happens(0.2) ? random.below(20 * 24) * 3_600_000 : random.below(60_000);
  return { receivedAt: new Date(Date.parse(occurredAt) + laterMs).toISOString() };
}

const currencies = ['EUR', 'EUR', 'EUR', 'JPY', 'BHD'];

function newPurchase(random: Random, details: EventNow, paid: Paid[]): EventRecord {
  const source = (['v2', 'v2', 'v2', 'legacy', 'processor'] as const)[random.below(5)]!;
  const names = { invoiceId: `inv-${details.n}`, ...aliasesOf(source, details.n) };
  const payment: Payment = {
    ...(source === 'legacy' && random.happens(0.3) ? {} : names),
    currency: currencies[random.below(currencies.length)]!,
    amount: random.happens(0.03) ? 0 : 1 + random.below(12_000),
    subscription: { interval: random.happens(0.5) ? 'monthly' : 'yearly', productKey: 'pro' },
  };
  const { tenantId, userId, ucc } = details;
  if (payment.invoiceId !== undefined) {
    paid.push({ tenantId, userId, ucc, at: Date.parse(details.occurredAt), payment });
  }
  return purchase({ ...details, source, ...receivedLater(random, details.occurredAt), payment });
}

function aliasesOf(source: string, n: number): { aliases?: string[] } {
  return source === 'processor' ? { aliases: [`pi-${n}`, `no-${n}`] } : {};
}

/** Told by another source, by another of its names, or of another user with another code. */
function samePurchase(random: Random, details: EventNow, earlier: Paid): EventRecord {
  const source = (['v2', 'legacy', 'processor'] as const)[random.below(3)]!;
  const stranger = random.happens(0.4);
  const { invoiceId = '', aliases: [alias = invoiceId] = [] } = earlier.payment;
  const { aliases: _aliases, ...payment } = earlier.payment;
  const names =
    source === 'processor'
      ? { invoiceId: `in-${details.n}`, aliases: [invoiceId] }
      : { invoiceId: random.happens(0.5) ? alias : invoiceId };
  return purchase({
    ...details,
    tenantId: earlier.tenantId,
    ...(!stranger && { userId: earlier.userId, ucc: earlier.ucc }),
    source,
    ...receivedLater(random, details.occurredAt),
    payment: { ...payment, ...names },
  });
}

/** A part or the whole, before or after the purchase, now and then of another currency. */
function refundOf(random: Random, details: EventNow, earlier: Paid): EventRecord {
  const { payment, at } = earlier;
  const part = [1, 2, 3][random.below(3)]!;
  const source = (['v2', 'v2', 'legacy', 'processor'] as const)[random.below(4)]!;
  const occurredAt = new Date(at + (random.below(30) - 5) * day).toISOString();
  return refund({
    ...details,
    tenantId: earlier.tenantId,
    userId: random.happens(0.95) ? earlier.userId : details.userId,
    ucc: random.happens(0.95) ? earlier.ucc : details.ucc,
    source,
    occurredAt,
    ...receivedLater(random, occurredAt),
    payment: {
      invoiceId: payment.invoiceId ?? '',
      currency: random.happens(0.03) ? 'USD' : payment.currency,
      amount: Math.ceil(payment.amount / part),
      ...(source === 'processor' && {
        refundId: `re-${details.n % 50}-${payment.invoiceId ?? ''}`,
      }),
    },
  });
}

import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import {
  type CampaignRevisionRecord,
  catalogSchemaVersion,
} from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import { type EventRecord, eventSchemaVersion } from '@tributary/contracts/event-record';
import { createRandom, type Random } from '../../test-faults/chain/random.ts';

/**
 * What a mid-sized customer's referrals may look like: ten events per referred user, ten users per
 * referrer, four campaigns. Half a year of facts, reported as they occurred but for a few that come
 * late, all of them just received (so that holds of days have not ended).
 */
export type Workload = {
  revisions: CampaignRevisionRecord[];
  codes: CodeRecord[];
  /** In order of arrival. */
  events: EventRecord[];
};

export const tenantId = 'bench';

const purchaseRule = { ruleId: 'purchase', trigger: 'purchase-created' } as const;
const euroAndDollar = { EUR: '1', USD: '0.9' };

/** Every kind of effect, with and without limits that look back. */
const rulesByCampaign: Record<string, CampaignRule[]> = {
  'percent-with-cap': [
    {
      ...purchaseRule,
      recipient: 'referrer',
      effect: { kind: 'percent', basisPoints: 1_000, creditsPerMajorUnit: euroAndDollar },
      limits: { perRecipient: [{ period: 'month', credits: '100' }] },
      holdDays: 14,
    },
  ],
  fixed: [
    {
      ...purchaseRule,
      recipient: 'referrer',
      effect: { kind: 'fixed', credits: '10' },
      holdDays: 14,
    },
    {
      ruleId: 'signup',
      trigger: 'signup-created',
      recipient: 'referrer',
      effect: { kind: 'fixed', credits: '1' },
    },
    {
      ruleId: 'demo',
      trigger: 'demo-attended',
      recipient: 'referrer',
      effect: { kind: 'fixed', credits: '2.50' },
    },
  ],
  tiers: [
    {
      ...purchaseRule,
      recipient: 'referrer',
      effect: {
        kind: 'tiered',
        tiers: [500, 750, 1_000].map((basisPoints, i) => ({
          fromCount: [1, 3, 8][i]!,
          effect: { kind: 'percent', basisPoints, creditsPerMajorUnit: euroAndDollar },
        })),
      },
      holdDays: 30,
    },
  ],
  'both-sides': [
    {
      ...purchaseRule,
      recipient: 'both',
      effect: { kind: 'fixed', credits: '10' },
      newUserEffect: { kind: 'fixed', credits: '5' },
      limits: { firstPurchases: 2 },
      holdDays: 14,
    },
  ],
};

const campaignIds = Object.keys(rulesByCampaign);
const campaignOfReferrer = (referrer: number) => campaignIds[referrer % campaignIds.length]!;

const day = 86_400;

export function makeWorkload(count: number, now: Date): Workload {
  const random = createRandom(7);
  const users = Math.max(1, Math.round(count / 10));
  const referrers = Math.max(4, Math.round(users / 10));
  const startedAt = Math.floor(now.getTime() / 1_000) - 183 * day;
  const drafts: Draft[] = [];
  for (let user = 0; user < users; user++) {
    drafts.push(...draftsOfUser(random, user, user % referrers, startedAt));
  }
  return {
    revisions: campaignIds.map((campaignId) =>
      revisionOf(campaignId, rulesByCampaign[campaignId]!),
    ),
    codes: Array.from({ length: referrers }, (_, referrer) => codeOf(referrer)),
    events: drafts
      .slice(0, count)
      .sort((a, b) => a.arrivesAt - b.arrivesAt)
      .map((draft, n) => toEvent(draft, n, now)),
  };
}

type Draft = {
  occurredAt: number;
  arrivesAt: number;
  user: number;
  ucc: string;
  what:
    | { type: 'signup-created' | 'demo-attended' }
    | { type: 'purchase-created' | 'purchase-refunded'; invoice: string; amount: number };
};

/** A signup, purchases for some months, now and then a demo, a refund, a copy, a mistyped code. */
function draftsOfUser(random: Random, user: number, referrer: number, from: number): Draft[] {
  const drafts: Draft[] = [];
  const ucc = random.happens(0.01) ? `mistyped-${user}` : uccOf(referrer);
  let occurredAt = from + random.below(60 * day);
  const add = (what: Draft['what']) => {
    const late = random.happens(0.03) ? random.below(30 * day) : 0;
    drafts.push({ occurredAt, arrivesAt: occurredAt + late, user, ucc, what });
  };
  add({ type: 'signup-created' });
  while (drafts.length < 10) {
    occurredAt += day + random.below(25 * day);
    if (random.happens(0.04)) {
      add({ type: 'demo-attended' });
      continue;
    }
    const invoice = `inv_${user}_${drafts.length}`;
    const amount = 900 + random.below(9_000);
    add({ type: 'purchase-created', invoice, amount });
    if (random.happens(0.01)) add({ type: 'purchase-created', invoice, amount });
    if (random.happens(0.05)) {
      occurredAt += day;
      const part = random.happens(0.5) ? amount : Math.ceil(amount / 3);
      add({ type: 'purchase-refunded', invoice, amount: part });
    }
  }
  return drafts.slice(0, 10);
}

function toEvent({ occurredAt, user, ucc, what }: Draft, n: number, now: Date): EventRecord {
  const common = {
    schemaVersion: eventSchemaVersion,
    eventId: `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`,
    tenantId,
    source: 'v2' as const,
    receivedAt: now.toISOString(),
    occurredAt: new Date(occurredAt * 1_000).toISOString(),
    occurredAtSeconds: String(occurredAt),
    ucc,
    newUser: { id: `user_${user}` },
  };
  if (!('invoice' in what)) return { ...common, eventType: what.type };
  const payment = {
    invoiceId: what.invoice,
    currency: 'EUR',
    amount: what.amount,
    subscription: { interval: 'monthly', seatsUsed: '3', productKey: 'pro' },
  };
  return what.type === 'purchase-created'
    ? { ...common, eventType: what.type, purchase: payment }
    : { ...common, eventType: what.type, refund: payment };
}

const uccOf = (referrer: number) => `code-of-${referrer}`;

function codeOf(referrer: number): CodeRecord {
  return {
    schemaVersion: 1,
    type: 'code-issued',
    tenantId,
    ucc: uccOf(referrer),
    version: 1,
    campaignId: campaignOfReferrer(referrer),
    productUserId: `referrer_${referrer}`,
    at: longAgo,
  };
}

export function revisionOf(campaignId: string, rules: CampaignRule[]): CampaignRevisionRecord {
  return {
    schemaVersion: catalogSchemaVersion,
    entity: 'campaign-revision',
    tenantId,
    version: 1,
    publishedAt: longAgo,
    campaignId,
    revision: 1,
    name: campaignId,
    status: 'running',
    effectiveFrom: longAgo,
    landingUrl: 'https://example.com/join',
    creditScale: 2,
    rules,
  };
}

const longAgo = '2025-01-01T00:00:00.000Z';

import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import {
  type CampaignRevisionRecord,
  catalogSchemaVersion,
} from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import { type EventRecord, eventSchemaVersion } from '@tributary/contracts/event-record';
import { createRandom, type Random } from '../../test-faults/chain/random.ts';
import { rulesByCampaign } from './workload-rules.ts';

/**
 * What a mid-sized customer's referrals may look like: ten events per referred user, ten users per
 * referrer, four campaigns; 10 % of the events are refunds, 5 % repeat a purchase, 3 % come up to a
 * month late, 1 % of the users have a mistyped code. Half a year of facts, all of them just
 * received, so that holds of days have not ended. The same count and time give the same events.
 */
export type Workload = {
  revisions: CampaignRevisionRecord[];
  codes: CodeRecord[];
  /** In order of arrival. */
  events: EventRecord[];
};

export const tenantId = 'bench';

const campaignIds = Object.keys(rulesByCampaign);
const campaignOfReferrer = (referrer: number) => campaignIds[referrer % campaignIds.length]!;

const day = 86_400;

export function makeWorkload(
  count: number,
  now: Date,
  options: { referrers?: number } = {},
): Workload {
  const random = createRandom(7);
  const users = Math.max(1, Math.ceil(count / eventsPerUser));
  const { referrers = Math.max(4, Math.round(users / 10)) } = options;
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
    events: toEvents(drafts.slice(0, count), now),
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
  /** The very record of that one again, as a producer that was not sure may send it. */
  copyOf?: Draft;
};

type Purchase = { invoice: string; amount: number; draft: Draft };

/**
 * Shares of all events. Each user's first is a signup, so a kind has this share of the other nine.
 */
const shares = { refund: 0.1, repeat: 0.05, demo: 0.04 };
const eventsPerUser = 10;
const ofTheOthers = eventsPerUser / (eventsPerUser - 1);

/** A signup, then purchases for some months, and now and then a refund, a repeat or a demo. */
function draftsOfUser(random: Random, user: number, referrer: number, from: number): Draft[] {
  const drafts: Draft[] = [];
  const ucc = random.happens(0.01) ? `mistyped-${user}` : uccOf(referrer);
  let occurredAt = from + random.below(60 * day);
  const add = (what: Draft['what']) => {
    const late = random.happens(0.03) ? random.below(30 * day) : 0;
    const draft = { occurredAt, arrivesAt: occurredAt + late, user, ucc, what };
    drafts.push(draft);
    return draft;
  };
  add({ type: 'signup-created' });
  const purchases: Purchase[] = [];
  const unrefunded: Purchase[] = [];
  let owed = { refund: 0, repeat: 0 };
  while (drafts.length < eventsPerUser) {
    for (const kind of ['refund', 'repeat'] as const) {
      if (random.happens(shares[kind] * ofTheOthers)) owed = { ...owed, [kind]: owed[kind] + 1 };
    }
    const last = purchases.at(-1);
    if (owed.refund > 0 && unrefunded.length > 0) {
      owed.refund -= 1;
      const { invoice, amount } = unrefunded.pop()!;
      occurredAt += day;
      const part = random.happens(0.5) ? amount : Math.ceil(amount / 3);
      add({ type: 'purchase-refunded', invoice, amount: part });
    } else if (owed.repeat > 0 && last !== undefined) {
      owed.repeat -= 1;
      drafts.push(repeatOf(random, last.draft));
    } else {
      occurredAt += day + random.below(25 * day);
      if (random.happens(shares.demo * ofTheOthers)) {
        add({ type: 'demo-attended' });
        continue;
      }
      const invoice = `inv_${user}_${drafts.length}`;
      const amount = 900 + random.below(9_000);
      const draft = add({ type: 'purchase-created', invoice, amount });
      purchases.push({ invoice, amount, draft });
      unrefunded.push({ invoice, amount, draft });
    }
  }
  return drafts;
}

/** Four of five under an id of their own: reported again without an idempotency key. */
function repeatOf(random: Random, draft: Draft): Draft {
  const arrivesAt = draft.arrivesAt + 1 + random.below(3_600);
  const isCopy = random.happens(0.2);
  return { ...draft, arrivesAt, ...(isCopy && { copyOf: draft }) };
}

function toEvents(drafts: readonly Draft[], now: Date): EventRecord[] {
  const events = new Map<Draft, EventRecord>();
  for (const [n, draft] of drafts.toSorted((a, b) => a.arrivesAt - b.arrivesAt).entries()) {
    const original = draft.copyOf && events.get(draft.copyOf);
    events.set(draft, original ?? toEvent(draft, n, now));
  }
  return [...events.values()];
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

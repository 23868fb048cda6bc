import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { decisionKey, type DecisionRecord } from '@tributary/contracts/decision-record';
import { signupBusinessKey } from '@tributary/contracts/business-key';
import { topicPartitions } from '@tributary/contracts/topics';
import { partitionOf } from '@tributary/event-log/partitioner';
import {
  asDuplicate,
  purchaseDecision,
  revisionOf,
  signupDecision,
} from '@tributary/rewards-fold/testing/records';
import type { Random } from './random.ts';

/** What rewards reads of a history in which people, facts and limits meet each other. */
export type History = {
  revisions: readonly CampaignRevisionRecord[];
  /** As they are appended: the versions of a decision in order, and some of them once more. */
  decisions: readonly DecisionRecord[];
  /** Decisions of which a version has another referrer, in another partition. */
  moved: ReadonlySet<string>;
};

/** The first two refer others only, the last two are referred only. */
const referrers = ['anna', 'bert', 'cleo', 'dora', 'emil'];
const newUsers = ['cleo', 'dora', 'emil', 'udo', 'uli', 'uta'];
/** 2026-02-26, so that a month ends on the way. */
const firstSecond = Date.UTC(2026, 1, 26) / 1_000;
const seconds = 14 * 86_400;

export function someHistory(random: Random): History {
  const histories = Array.from({ length: 30 }, (_, n) =>
    someVersions(random, n, n % 3 === 0 ? 6 : random.below(4)),
  );
  const waiting = histories.map((versions) => [...versions]);
  const decisions: DecisionRecord[] = [];
  while (waiting.some((versions) => versions.length > 0)) {
    // Few at a time, so that versions of one decision are near each other on the log.
    const versions = random.pick(waiting.filter((some) => some.length > 0));
    decisions.push(versions.shift()!);
    // A relay that lost its connection sends once more what it had sent.
    if (random.happens(0.12)) decisions.push(random.pick(decisions));
  }
  const moved = histories.filter((versions) => new Set(referralPartitions(versions)).size > 1);
  return {
    revisions: campaigns,
    decisions,
    moved: new Set(moved.map((versions) => versions[0]!.decisionId)),
  };
}

function referralPartitions(versions: readonly DecisionRecord[]): number[] {
  return versions.flatMap((decision) =>
    decision.referrerId === undefined
      ? []
      : partitionOf('attributions', decisionKey(decision), topicPartitions),
  );
}

/**
 * A decision on one event: who it credits, under which revision, refunded or not, or nobody. Those
 * that change often are those of which several versions are under way at once.
 */
function someVersions(random: Random, n: number, changes: number): DecisionRecord[] {
  const at = timesOf(firstSecond + random.below(seconds));
  const newUserId = random.pick(newUsers);
  const others = referrers.filter((person) => person !== newUserId);
  const amount = random.pick([1_000, 2_500, 4_900]);
  // Some report an invoice that another event has reported: one of them has it.
  const invoice = n > 3 && random.happens(0.3) ? random.below(n) : n;
  const isSignup = random.happens(0.25);
  const form = { ...someForm(random, others), ...at, newUserId };
  const first = isSignup
    ? signupDecision(n, { ...form, businessKey: signupBusinessKey('t1', newUserId) })
    : purchaseDecision(n, {
        ...{ ...form, invoice },
        purchase: { invoiceId: `inv_${invoice}`, amount, currency: 'EUR' },
      });
  const versions = [first];
  for (let more = changes; more > 0; more -= 1) {
    const { version } = versions.at(-1)!;
    const change = random.weighed<Partial<DecisionRecord>>([
      [4, { referrerId: random.pick(others) }],
      [3, isSignup ? {} : refundOf(random, n, amount, at.occurredAtSeconds)],
      [2, someForm(random, others)],
      [1, { review: ['referral-loop' as const] }],
    ]);
    // From what it was when it was attributed last.
    const attributed = versions.findLast(({ outcome }) => outcome === 'attributed') ?? first;
    const next: DecisionRecord = { ...attributed, ...change, version: version + 1 };
    const isNobodys = random.happens(0.2);
    versions.push(isNobodys ? { ...asDuplicate(next, 'other'), version: version + 1 } : next);
  }
  return random.happens(0.1)
    ? [{ ...asDuplicate(first, 'other'), version: 1 }, ...later(versions)]
    : versions;
}

/** The same with versions one higher. */
function later(versions: readonly DecisionRecord[]): DecisionRecord[] {
  return versions.map((decision) => ({ ...decision, version: decision.version + 1 }));
}

function someForm(random: Random, others: readonly string[]) {
  return {
    referrerId: random.pick(others),
    campaignId: random.pick(['c1', 'c1', 'c1', 'c2']),
    campaignRevision: random.pick([1, 1, 1, 2]),
  };
}

function refundOf(random: Random, n: number, amount: number, occurredAtSeconds: string) {
  const at = timesOf(Number(occurredAtSeconds) + random.below(5 * 86_400));
  const full = random.happens(0.3);
  const reversedAmount = full ? amount : amount / 2;
  return { reversals: [{ eventId: `refund-${n}`, ...at, reversedAmount, full }] };
}

function timesOf(second: number) {
  const at = new Date(second * 1_000).toISOString();
  return { occurredAt: at, occurredAtSeconds: String(second), receivedAt: at };
}

const bring: CampaignRule = {
  ruleId: 'bring',
  trigger: 'purchase-created',
  recipient: 'both',
  effect: {
    kind: 'tiered',
    tiers: [
      { fromCount: 1, effect: { kind: 'fixed', credits: '5' } },
      { fromCount: 2, effect: { kind: 'fixed', credits: '8' } },
      { fromCount: 4, effect: { kind: 'fixed', credits: '11.5' } },
    ],
  },
  newUserEffect: { kind: 'fixed', credits: '2.25' },
  limits: { firstPurchases: 2, perRecipient: [{ period: 'month', credits: '30' }] },
  holdDays: 7,
};
const join: CampaignRule = {
  ruleId: 'join',
  trigger: 'signup-created',
  recipient: 'both',
  effect: { kind: 'fixed', credits: '1' },
};
const resell: CampaignRule = {
  ruleId: 'resell',
  trigger: 'purchase-created',
  recipient: 'referrer',
  effect: { kind: 'percent', basisPoints: 1_000, creditsPerMajorUnit: { EUR: '1' } },
  limits: { perRecipient: [{ period: 'month', count: 3 }] },
};

/** The second campaign rewards new users by its second revision only. */
const campaigns: CampaignRevisionRecord[] = [
  revisionOf({ revision: 1, rules: [bring, join] }),
  revisionOf({
    ...{ revision: 2, rules: [{ ...bring, holdDays: 0 }, join] },
    publishedAt: '2026-03-01T00:00:00.000Z',
  }),
  revisionOf({ campaignId: 'c2', revision: 1, rules: [resell] }),
  revisionOf({ campaignId: 'c2', revision: 2, rules: [{ ...resell, recipient: 'both' }] }),
];

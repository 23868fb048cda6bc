import type { RecipientLimit } from '@tributary/contracts/campaign-rule';
import { businessKeyOf } from './business-facts.ts';
import { periodOf } from './calendar.ts';
import type { ExpectedDecision } from './decisions.ts';
import {
  by,
  compare,
  decimal,
  least,
  minus,
  plus,
  roundDown,
  roundHalfEven,
  times,
  whole,
  zero,
  type Rational,
} from './rational.ts';
import {
  attributedOf,
  candidatesOf,
  type Role,
  type CandidateReward,
} from './candidate-rewards.ts';
import {
  daysLater,
  eventOf,
  inOrder,
  isPurchase,
  occurred,
  ofTenant,
  tenantsOf,
  type World,
} from './world.ts';

/** What one rule gives one recipient for one fact, when all is counted. */
export type ExpectedReward = {
  tenantId: string;
  eventId: string;
  businessKey: string;
  campaignId: string;
  campaignRevision: number;
  ruleId: string;
  role: Role;
  recipientId: string;
  /** What was granted before any refund, and what is left. */
  granted: Rational;
  entitled: Rational;
  /** Absent: it is not held. */
  maturesAt?: string;
  reviewReasons: string[];
};

export function expectedRewards(
  world: World,
  decisions: ReadonlyMap<string, ExpectedDecision>,
): ExpectedReward[] {
  return tenantsOf(world).flatMap((tenantId) => {
    const own = ofTenant(world, tenantId);
    const attributed = attributedOf(own, decisions);
    const candidates = attributed.flatMap((one) => candidatesOf(attributed, one));
    const lanes = Map.groupBy(candidates, (candidate) =>
      JSON.stringify([candidate.revision.campaignId, candidate.recipientId]),
    );
    return [...lanes.values()].flatMap((lane) => grantInOrder(own, lane));
  });
}

type Grant = CandidateReward & { granted: Rational };

function grantInOrder(world: World, lane: readonly CandidateReward[]): ExpectedReward[] {
  const grants: Grant[] = [];
  const earlier = new Map<string, Grant[]>();
  for (const candidate of [...lane].sort((a, b) => inOrder(a.event, b.event))) {
    const limits = candidate.rule.limits?.perRecipient ?? [];
    const rooms = limits.flatMap((limit) =>
      roomsOf(world, earlier.get(countedBy(candidate, limit)) ?? [], candidate, limit),
    );
    // A room may be finer than the credits of this revision, and is not exceeded by rounding.
    const writable = rooms.map((room) => roundDown(room, candidate.revision.creditScale));
    const grant = { ...candidate, granted: least(candidate.wanted, ...writable) };
    grants.push(grant);
    for (const name of new Set(limits.map((limit) => countedBy(candidate, limit)))) {
      const others = earlier.get(name);
      if (others === undefined) earlier.set(name, [grant]);
      else others.push(grant);
    }
  }
  return grants.map((grant) => toReward(world, grant));
}

/** What counts together: grants of a rule and a role in the same day, week, month or at all. */
function countedBy({ rule, role, event }: CandidateReward, { period }: RecipientLimit): string {
  return JSON.stringify([rule.ruleId, role, period, periodOf(period, occurred(event))]);
}

/**
 * What a limit leaves for a fact, after all that its recipient has at that point of the earlier
 * ones that count with it.
 */
function roomsOf(
  world: World,
  earlier: readonly Grant[],
  candidate: CandidateReward,
  limit: RecipientLimit,
): Rational[] {
  const held = (measure: 'credits' | 'count') =>
    earlier
      .filter((grant) => hasLimit(grant, limit.period, measure))
      .map((grant) => entitledAt(world, grant, candidate))
      .filter((credits) => compare(credits, zero) > 0);
  const rooms: Rational[] = [];
  if (limit.credits !== undefined) {
    const room = minus(decimal(limit.credits), held('credits').reduce(plus, zero));
    rooms.push(compare(room, zero) < 0 ? zero : room);
  }
  if (limit.count !== undefined && held('count').length >= limit.count) rooms.push(zero);
  return rooms;
}

function hasLimit(
  { rule }: CandidateReward,
  period: RecipientLimit['period'],
  measure: 'credits' | 'count',
): boolean {
  const limits = rule.limits?.perRecipient ?? [];
  return limits.some((limit) => limit.period === period && limit[measure] !== undefined);
}

/** What refunds have left of a grant where a later fact stands in the order; at the end, of all. */
function entitledAt(world: World, grant: Grant, later?: CandidateReward): Rational {
  const { event, rule, granted, revision, decision } = grant;
  if (!isPurchase(event)) return granted;
  const isBefore = (eventId: string) => {
    const refund = eventOf(world, eventId);
    return later === undefined || inOrder(refund, later.event) < 0;
  };
  const reversal = decision.reversals.filter((step) => isBefore(step.eventId)).at(-1);
  if (reversal === undefined || rule.refundPolicy === 'keep') return granted;
  if (reversal.full || rule.refundPolicy === 'full') return zero;
  const paid = whole(event.purchase.amount);
  const left = by(minus(paid, whole(reversal.reversedAmount)), paid);
  return roundHalfEven(times(granted, left), revision.creditScale);
}

function toReward(world: World, grant: Grant): ExpectedReward {
  const { event, decision, revision, rule, role, recipientId, granted } = grant;
  const reviewReasons: string[] = [...(decision.reviews ?? [])];
  if (revision.publishedAt > event.receivedAt) reviewReasons.push('revision-published-later');
  return {
    tenantId: event.tenantId,
    eventId: event.eventId,
    businessKey: businessKeyOf(world, event),
    campaignId: revision.campaignId,
    campaignRevision: revision.revision,
    ruleId: rule.ruleId,
    role,
    recipientId,
    granted,
    entitled: entitledAt(world, grant),
    ...(rule.holdDays ? { maturesAt: daysLater(event.receivedAt, rule.holdDays) } : {}),
    reviewReasons,
  };
}

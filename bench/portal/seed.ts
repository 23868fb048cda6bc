import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { EventRecord } from '@tributary/contracts/event-record';
import type { RewardRecord } from '@tributary/contracts/reward-record';
import { inTransaction } from '@tributary/runtime/postgres';
import type pg from 'pg';
import type { TopicRead } from '../../services/portal/src/console/log/sources.ts';
import { applyBatch } from '../../services/portal/src/console/log/apply-batch.ts';
import {
  actionOn,
  attemptOf,
  codeOf,
  decisionOn,
  issuanceOf,
  notAttributed,
  personOf,
  purchase,
  refund,
  rewardFor,
  signup,
} from '../../services/portal/src/testing/scenario.ts';
import { createRandom, type Random } from '../../test-faults/chain/random.ts';

/** What the benchmark asks for by name. */
export const days = 90;
export const firstDay = Date.parse('2026-01-01T00:00:00.000Z');
const campaigns = ['spring', 'summer', 'autumn', 'winter'];
const referrers = 20_000;
export const busiest = 'referrer-0';
export const somebody = 'user-17';

/**
 * So many events with their decisions, rewards, issuances and deliveries, applied as the projection
 * applies what it reads: the same batches, the same function, in as many transactions at a time as
 * there are connections.
 */
export async function seed(
  pool: pg.Pool,
  events: number,
  progress: (line: string) => void,
): Promise<void> {
  const batch = 500;
  let next = 0;
  const worker = async () => {
    for (;;) {
      const from = next;
      if (from >= events) return;
      next += batch;
      await apply(pool, story(from, Math.min(events, from + batch), events));
      if (from % 50_000 === 0 && from > 0) progress(`${from} events`);
    }
  };
  await apply(pool, { codes: codes() });
  await Promise.all([worker(), worker(), worker()]);
  await pool.query('vacuum analyze');
}

type Read = { topic: TopicRead; decoded: unknown; timestampMs?: number };
type Batches = Partial<Record<string, Read[]>>;

function record(topic: TopicRead, decoded: unknown): Read {
  return { topic, decoded };
}

async function apply(pool: pg.Pool, batches: Batches): Promise<void> {
  for (const records of Object.values(batches)) {
    if (records === undefined || records.length === 0) continue;
    const incoming = records.map(({ topic, decoded, timestampMs = 0 }) => ({
      ...{ source: topic, topic, partition: 0, offset: 0n, timestampMs, key: '' },
      value: decoded,
    }));
    await inTransaction(pool, (tx) => applyBatch(tx, incoming));
  }
}

function codes(): Read[] {
  return Array.from({ length: referrers }, (_, i) =>
    record('codes', codeOf({ ucc: `code-${i}`, productUserId: `referrer-${i}` })),
  );
}

function story(from: number, to: number, all: number): Batches {
  const batches = {
    events: [] as Read[],
    people: [] as Read[],
    decisions: [] as Read[],
    rewards: [] as Read[],
    issuances: [] as Read[],
    deliveries: [] as Read[],
  };
  for (let n = from; n < to; n++) {
    const random = createRandom(n + 1);
    const at = new Date(firstDay + Math.floor((n / all) * days * 86_400_000)).toISOString();
    const event = eventOf(random, n, at);
    batches.events.push(record('events', event));
    if (n % 5 === 0)
      batches.people.push(record('people', personOf(event.newUser.id, named(n, at))));
    const decision = decide(random, event);
    batches.decisions.push(record('attributions', decision));
    if (decision.outcome !== 'attributed' || event.eventType === 'purchase-refunded') continue;
    const reward = earn(random, decision);
    batches.rewards.push({ ...record('rewards', reward), timestampMs: Date.parse(at) });
    if (reward.state === 'withheld') {
      batches.issuances.push(record('issuances', actionOn(reward, 1, 'withheld')));
    }
    if (reward.issuedCredits === '0') continue;
    const ids = { issuanceId: idOf(1, n), webhookEventId: idOf(2, n), issuedAt: at };
    const issued = issuanceOf(reward, n, { ...ids, credits: reward.issuedCredits });
    batches.issuances.push(record('issuances', issued));
    const outcome = random.happens(0.03) ? 'failed' : 'delivered';
    batches.deliveries.push(record('deliveries', attemptOf(issued, 1, { startedAt: at, outcome })));
  }
  return batches;
}

function idOf(kind: number, n: number): string {
  return `0000000${kind}-0000-7000-8000-${String(n).padStart(12, '0')}`;
}

/** One referrer has a twentieth of all, the others share the rest. */
function referrerOf(random: Random): number {
  return random.happens(0.05) ? 0 : random.below(referrers);
}

function eventOf(random: Random, n: number, receivedAt: string): EventRecord {
  const user = Math.floor(n / 5);
  const about = { userId: `user-${user}`, ucc: `code-${referrerOf(random)}` };
  const source = random.happens(0.02) ? ('processor' as const) : ('v2' as const);
  const common = { eventId: idOf(0, n), receivedAt, source };
  if (n % 5 === 0) return { ...signup(n, about), ...common };
  if (random.happens(0.04)) {
    return { ...refund(n, { ...about, invoiceId: `inv-${n - 1}`, amount: 900 }), ...common };
  }
  return { ...purchase(n, about), ...common };
}

function named(n: number, receivedAt: string) {
  const [first, last] = [names[n % 7], names[(n >> 3) % 7]];
  return {
    name: `${first} ${last}${n}`,
    email: `${first}.${n}@example.com`.toLowerCase(),
    receivedAt,
  };
}

const names = ['Ada', 'Berta', 'Cäsar', 'Dora', 'Emil', 'Friedrich', 'Gustav'];

function decide(random: Random, event: EventRecord): DecisionRecord {
  const campaignId = campaigns[random.happens(0.6) ? 0 : 1 + random.below(3)]!;
  if (random.happens(0.03)) return notAttributed(event, { reason: 'outside-window', campaignId });
  if (random.happens(0.01))
    return notAttributed(event, { outcome: 'waiting', reason: 'unknown-code' });
  return decisionOn(event, { campaignId, referrerId: event.ucc.replace('code', 'referrer') });
}

function earn(random: Random, decision: DecisionRecord): RewardRecord {
  const { campaignId = '', referrerId = '' } = decision;
  const about = { campaignId, recipientId: referrerId, ruleId: decision.eventType };
  const roll = random.below(1_000);
  if (roll < 80) return rewardFor(decision, { ...about, state: 'held' });
  const reviewReasons = ['revision-published-later' as const];
  if (roll < 100) return rewardFor(decision, { ...about, state: 'review', reviewReasons });
  if (roll < 105) return rewardFor(decision, { ...about, state: 'withheld' });
  if (roll < 130) return rewardFor(decision, { ...about, state: 'reversed', entitledCredits: '0' });
  if (roll < 133) {
    return rewardFor(decision, { ...about, state: 'issued', issuedCredits: '4', reviewReasons });
  }
  if (roll < 150) return rewardFor(decision, { ...about, state: 'issued', issuedCredits: '6' });
  // What went into a debt has one beside it, or a release would pay the rest.
  if (roll < 170) return rewardFor(decision, { ...about, state: 'issued', issuedCredits: '14' });
  return rewardFor(decision, { ...about, state: 'issued', issuedCredits: '10' });
}

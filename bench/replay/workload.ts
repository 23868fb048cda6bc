import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import { type EventRecord, eventSchemaVersion } from '@tributary/contracts/event-record';
import { createRandom, type Random } from '../../test-faults/chain/random.ts';
import { makeWorkload, tenantId } from '../pipeline/workload.ts';

/**
 * A history of so many events: 20 of each user, 10 users of each referrer, 5 % refunds, and 2 %
 * whose code was published after them. Rules of four campaigns, as in the benchmark `pipeline`.
 * Made round by round, as it would arrive, and never whole in memory.
 */
export type ReplayWorkload = {
  events: number;
  users: number;
  referrers: number;
  revisions: CampaignRevisionRecord[];
  /** Before all events. */
  codes: CodeRecord[];
  /** After them. */
  lateCodes: CodeRecord[];
  batches(): Generator<EventRecord[]>;
};

const eventsPerUser = 20;
const usersPerReferrer = 10;
const lateEvery = 50;

export function makeReplayWorkload(events: number, now: Date): ReplayWorkload {
  const users = Math.max(1, Math.round(events / eventsPerUser));
  const referrers = Math.max(4, Math.round(users / usersPerReferrer));
  const { revisions } = makeWorkload(1_000, now);
  const campaignIds = revisions.map(({ campaignId }) => campaignId);
  const isLate = (referrer: number) => referrer % lateEvery === 0;
  const codeOf = (referrer: number): CodeRecord => ({
    schemaVersion: 1,
    type: 'code-issued',
    tenantId,
    ucc: `code-of-${referrer}`,
    version: 1,
    campaignId: campaignIds[referrer % campaignIds.length]!,
    productUserId: `referrer_${referrer}`,
    at: isLate(referrer) ? new Date(now.getTime() + 3_600_000).toISOString() : longAgo,
  });
  const all = Array.from({ length: referrers }, (_, referrer) => referrer);
  return {
    ...{ events, users, referrers, revisions },
    codes: all.filter((referrer) => !isLate(referrer)).map(codeOf),
    lateCodes: all.filter(isLate).map(codeOf),
    *batches() {
      const random = createRandom(11);
      let made = 0;
      let batch: EventRecord[] = [];
      for (let round = 0; made < events; round++) {
        for (let user = 0; user < users && made < events; user++) {
          batch.push(eventOf(random, { n: made, round, user, referrers, now }));
          made += 1;
          if (batch.length < batchSize) continue;
          yield batch;
          batch = [];
        }
      }
      if (batch.length > 0) yield batch;
    },
  };
}

const batchSize = 5_000;
const longAgo = '2025-01-01T00:00:00.000Z';
const day = 86_400;

/** A signup, then purchases, now and then a demo, and refunds of a purchase of the round before. */
function eventOf(
  random: Random,
  of: { n: number; round: number; user: number; referrers: number; now: Date },
): EventRecord {
  const { n, round, user, referrers, now } = of;
  const began = Math.floor(now.getTime() / 1_000) - 183 * day;
  const occurredAt = began + round * 9 * day + random.below(9 * day);
  const common = {
    schemaVersion: eventSchemaVersion,
    eventId: `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`,
    tenantId,
    source: 'v2' as const,
    receivedAt: now.toISOString(),
    occurredAt: new Date(occurredAt * 1_000).toISOString(),
    occurredAtSeconds: String(occurredAt),
    ucc: `code-of-${user % referrers}`,
    newUser: { id: `user_${user}` },
  };
  if (round === 0) return { ...common, eventType: 'signup-created' };
  if (random.happens(0.03)) return { ...common, eventType: 'demo-attended' };
  const payment = {
    currency: 'EUR',
    amount: 900 + random.below(9_000),
    subscription: { interval: 'monthly', seatsUsed: '3', productKey: 'pro' },
  };
  if (round > 1 && random.happens(0.05)) {
    const refund = { ...payment, invoiceId: `inv_${user}_${round - 1}` };
    return { ...common, eventType: 'purchase-refunded', refund };
  }
  const purchase = { ...payment, invoiceId: `inv_${user}_${round}` };
  return { ...common, eventType: 'purchase-created', purchase };
}

import type { Counts } from './count-groups.ts';
import type { TimelineEntry } from '@tributary/contracts/admin/event-answers';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { DeliveryRecord } from '@tributary/contracts/delivery-record';
import type { EventRecord } from '@tributary/contracts/event-record';
import type { IssuanceRecord, RewardActionRecord } from '@tributary/contracts/issuance-record';
import type { RewardRecord } from '@tributary/contracts/reward-record';
import { keptBackAs, shownState, type ShownState } from '@tributary/contracts/reward-state';
import { silentLogger } from '@tributary/event-log/testing';
import { migrate } from '@tributary/runtime/migrate';
import { createPool, inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import fc from 'fast-check';
import type pg from 'pg';
import { fileURLToPath } from 'node:url';
import {
  actionOn,
  attemptOf,
  decisionOn,
  issuanceOf,
  notAttributed,
  onLog,
  type OnLog,
  purchase,
  receivedAt,
  refund,
  rewardFor,
  signup,
  tenantId,
  uuid,
} from '../../../testing/scenario.ts';
import { applyBatch } from '../../log/apply-batch.ts';
import { campaignBalance, recipientBalance } from './balances.ts';
import { countEvents } from './count-events.ts';
import { countIssuances } from './count-issuances.ts';
import { countRewards } from './count-rewards.ts';
import { type EventFilter, listEvents } from './list-events.ts';
import { type IssuanceFilter, listIssuances } from './list-issuances.ts';
import { listRewards, type RewardFilter } from './list-rewards.ts';
import type { Listed, Page } from './paging.ts';
import { readSeries } from './series.ts';
import { readTimeline } from './timeline.ts';

// Every list, count and series beside the plainest reading of the same records.

type Known = { event: EventRecord; decision?: DecisionRecord };
type Earned = { reward: RewardRecord; recordedAt: string; actions: RewardActionRecord[] };
type World = {
  events: Known[];
  rewards: Earned[];
  issuances: IssuanceRecord[];
  attempts: DeliveryRecord[];
  log: OnLog[][];
};

const campaigns = ['spring', 'summer'] as const;
const people = ['ada', 'bob', 'cy'] as const;
const states = ['held', 'review', 'issued', 'withheld', 'reversed', 'capped'] as const;
/** Three days, and midnights among them. */
const instants = [0, 3_000, 43_200, 50_000, 129_600, 200_000].map(receivedAt);

/** All that could be asked for, beside what is never there. */
const eventFilters = fc.record<EventFilter>(
  {
    type: fc.constantFrom(
      'purchase-created',
      'signup-created',
      'purchase-refunded',
      'demo-attended',
    ),
    source: fc.constantFrom('v2', 'legacy', 'widget', 'processor'),
    outcome: fc.constantFrom('attributed', 'not-attributed', 'waiting', 'undecided', 'pending'),
    reason: fc.constantFrom('unknown-code', 'duplicate', 'self-referral'),
    user: fc.constantFrom('cara', 'dora', 'nobody'),
    referrer: fc.constantFrom(...people, 'nobody'),
    campaign: fc.constantFrom(...campaigns, 'none'),
    code: fc.constantFrom('a-code', 'b-code', 'no-code'),
    invoice: fc.constantFrom('inv-3', 'inv-4', 'none'),
    from: fc.constantFrom(...instants),
    to: fc.constantFrom(...instants),
  },
  { requiredKeys: [] },
);
const rewardFilters = fc.record<RewardFilter>(
  {
    state: fc.constantFrom(...states),
    recipient: fc.constantFrom(...people, 'nobody'),
    role: fc.constantFrom('referrer', 'new-user'),
    campaign: fc.constantFrom(...campaigns, 'none'),
    rule: fc.constantFrom('one', 'two', 'none'),
    user: fc.constantFrom('cara', 'dora', 'nobody'),
    from: fc.constantFrom(...instants),
    to: fc.constantFrom(...instants),
  },
  { requiredKeys: [] },
);
const issuanceFilters = fc.record<IssuanceFilter>(
  {
    recipient: fc.constantFrom(...people, 'nobody'),
    campaign: fc.constantFrom(...campaigns, 'none'),
    from: fc.constantFrom(...instants),
    to: fc.constantFrom(...instants),
  },
  { requiredKeys: [] },
);
const sparse = <T extends object>(filters: fc.Arbitrary<T>) =>
  fc.oneof(
    filters,
    // One or two members are asked for more often than all.
    fc.tuple(filters, fc.nat(), fc.nat()).map(([filter, a, b]) => {
      const members = Object.entries(filter);
      const kept = members.filter((_, i) => i === a % members.length || i === b % members.length);
      return Object.fromEntries(kept) as T;
    }),
  );
const pages = fc.record({
  limit: fc.integer({ min: 1, max: 60 }),
  order: fc.constantFrom('newest' as const, 'oldest' as const),
});

describe('lists, counts and series, beside a plain reading of the records', function () {
  this.timeout(120_000);
  const schema = 'read_model';
  const world = makeWorld();
  let database: TestDatabase;
  let pool: pg.Pool;
  before(async () => {
    database = await createDatabase();
    const settings = { url: database.url, schema, poolSize: 2 };
    const dir = fileURLToPath(new URL('../../../../migrations/read-model', import.meta.url));
    await migrate({ settings, schema, sets: [{ dir, table: 'migration' }], logger: silentLogger });
    pool = createPool(settings, { applicationName: 'test', logger: silentLogger });
    for (const batch of world.log) await apply(batch);
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  it('events', async () => {
    await fc.assert(
      fc.asyncProperty(sparse(eventFilters), pages, async (filter, page) => {
        const expected = world.events.filter((known) => isListed(known, filter));
        const found = await readAll(page, (asked) => listEvents(pool, tenantId, filter, asked));
        expect(found.map(({ eventId }) => eventId)).to.deep.equal(
          inOrder(expected, page.order, ({ event }) => [event.receivedAt, event.eventId]).map(
            ({ event }) => event.eventId,
          ),
        );
        const parts = expected.map(({ event, decision }) => ({
          outcome: decision?.outcome ?? 'pending',
          reason: decision?.reason,
          type: event.eventType,
          source: event.source,
          campaign: decision?.campaignId,
        }));
        expect(plain(await countEvents(pool, tenantId, filter))).to.deep.equal(grouped(parts));
      }),
      { numRuns: 250 },
    );
  });

  it('rewards', async () => {
    await fc.assert(
      fc.asyncProperty(sparse(rewardFilters), pages, async (filter, page) => {
        const expected = world.rewards.filter((earned) => isShown(earned, filter));
        const found = await readAll(page, (asked) => listRewards(pool, tenantId, filter, asked));
        expect(found.map(({ reward }) => reward.rewardId)).to.deep.equal(
          inOrder(expected, page.order, ({ reward, recordedAt }) => [
            recordedAt,
            reward.rewardId,
          ]).map(({ reward }) => reward.rewardId),
        );
        const counts = await countRewards(pool, tenantId, filter);
        expect(counts.total.count).to.equal(expected.length);
        for (const state of filter.state === undefined ? states : [filter.state]) {
          const some = world.rewards.filter((earned) => isShown(earned, { ...filter, state }));
          const group = counts.groups.find(({ by, value }) => by === 'state' && value === state);
          expect(group?.count ?? 0, state).to.equal(some.length);
          const credits = some.map(({ reward }) => creditsOf(reward, state));
          expect(Number(group?.credits ?? 0), state).to.equal(credits.reduce((a, b) => a + b, 0));
        }
        for (const rule of ['one', 'two']) {
          const some = expected.filter(({ reward }) => reward.ruleId === rule);
          const group = counts.groups.find(({ by, value }) => by === 'rule' && value === rule);
          expect(group?.count ?? 0, rule).to.equal(some.length);
        }
      }),
      { numRuns: 250 },
    );
  });

  it('issuances', async () => {
    await fc.assert(
      fc.asyncProperty(sparse(issuanceFilters), pages, async (filter, page) => {
        const { recipient, campaign } = filter;
        const expected = world.issuances.filter(
          (issued) =>
            isWithin(issued.issuedAt, filter) &&
            (recipient === undefined || issued.recipientId === recipient) &&
            (campaign === undefined || issued.campaignId === campaign),
        );
        const found = await readAll(page, (asked) => listIssuances(pool, tenantId, filter, asked));
        expect(found.map(({ issuanceId }) => issuanceId)).to.deep.equal(
          inOrder(expected, page.order, (one) => [one.issuedAt, one.issuanceId]).map(
            ({ issuanceId }) => issuanceId,
          ),
        );
        const { total } = await countIssuances(pool, tenantId, filter);
        expect(total.count).to.equal(expected.length);
        expect(Number(total.credits ?? 0)).to.equal(sumOf(expected));
      }),
      { numRuns: 100 },
    );
  });

  it('the deliveries on a timeline, however many are walked for them', async () => {
    const isOf = new Map(world.issuances.map((one) => [one.issuanceId, one.recipientId]));
    const asked = fc.record({
      user: fc.constantFrom(...people, 'nobody'),
      limit: fc.integer({ min: 3, max: 12 }),
      walked: fc.integer({ min: 1, max: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ user, limit, walked }) => {
        const read = async (size: Parameters<typeof readTimeline>[3]) => {
          const whole: TimelineEntry[] = [];
          for (let { after } = size; ;) {
            const { items, next } = await readTimeline(
              pool,
              tenantId,
              { user },
              { ...size, after },
            );
            whole.push(...items);
            if (next === undefined) return whole.map(({ kind, at, id }) => `${kind} ${at} ${id}`);
            after = next;
          }
        };
        const whole = await read({ limit: 10_000, after: undefined });
        const own = world.attempts.filter(({ issuanceId }) => isOf.get(issuanceId) === user);
        const expected = inOrder(own, 'newest', (one) => [one.startedAt, idOf(one)]);
        expect(whole.filter((entry) => entry.startsWith('delivery'))).to.deep.equal(
          expected.map((one) => `delivery ${one.startedAt} ${idOf(one)}`),
        );
        expect(await read({ limit, after: undefined, walked })).to.deep.equal(whole);
      }),
      { numRuns: 40 },
    );
  });

  it('series of each UTC day', async () => {
    const period = { from: '2026-02-28T00:00:00.000Z', to: '2026-03-06T00:00:00.000Z' };
    for (const campaign of [undefined, ...campaigns, 'none']) {
      const of = (one: string) => campaign === undefined || one === campaign;
      const days = async (what: 'events' | 'rewards' | 'credits' | 'deliveries') =>
        readSeries(pool, tenantId, what, { ...period, campaign });
      const events = world.events.filter(({ decision }) => of(decision?.campaignId ?? ''));
      const counted = daily(events, ({ event }) => event.receivedAt);
      const found = await days('events');
      expect(found.map(({ count }) => count)).to.deep.equal(counted);
      expect(
        found.flatMap(({ parts }) => Object.values(parts)).reduce((a, b) => a + b, 0),
      ).to.equal(events.length);
      const rewards = world.rewards.filter(({ reward }) => of(reward.campaignId));
      expect((await days('rewards')).map(({ count }) => count)).to.deep.equal(
        daily(rewards, ({ recordedAt }) => recordedAt),
      );
      const issued = world.issuances.filter(({ campaignId }) => of(campaignId));
      const credits = await days('credits');
      expect(credits.map(({ count }) => count)).to.deep.equal(daily(issued, (one) => one.issuedAt));
      expect(credits.reduce((sum, day) => sum + Number(day.credits), 0)).to.equal(sumOf(issued));
    }
    const attempts = await readSeries(pool, tenantId, 'deliveries', {
      ...period,
      campaign: undefined,
    });
    expect(attempts.map(({ count }) => count)).to.deep.equal(
      daily(world.attempts, ({ startedAt }) => startedAt),
    );
    expect(attempts.some(({ parts }) => parts['failed'])).to.equal(true);
  });

  it('the balance of a campaign is the sum of what its recipients have in it', async () => {
    for (const campaignId of campaigns) {
      const { total, recipients } = await campaignBalance(pool, tenantId, campaignId);
      const each = await Promise.all(people.map((id) => recipientBalance(pool, tenantId, id)));
      const own = each.flatMap((one) => one.campaigns.filter((of) => of.campaignId === campaignId));
      expect(recipients).to.equal(own.length);
      for (const member of ['entitled', 'held', 'review', 'withheld', 'issued', 'owed'] as const) {
        const sum = own.reduce((all, one) => all + Number(one[member]), 0);
        expect(Number(total[member]), `${campaignId} ${member}`).to.equal(sum);
      }
    }
  });

  async function apply(records: readonly OnLog[]): Promise<void> {
    await inTransaction(pool, (tx) =>
      applyBatch(
        tx,
        records.map(({ topic, key, decoded }) => ({
          ...{ source: topic, topic, partition: 0, offset: 0n, key },
          timestampMs: recordedMs(decoded),
          value: decoded,
        })),
      ),
    );
  }

  // The last one: it changes the world.
  it('of more classes than a statement has parameters, and nothing of another tenant', async () => {
    const filter = { campaign: 'spring' };
    const page = { limit: 1_000, after: undefined };
    const read = () =>
      readAll(page, (asked) => listRewards(pool, tenantId, filter, asked)).then((all) =>
        all.map(({ reward }) => reward.rewardId),
      );
    const readEvents = () =>
      readAll(page, (asked) => listEvents(pool, tenantId, filter, asked)).then((all) =>
        all.map(({ eventId }) => eventId),
      );
    const [rewards, events] = [await read(), await readEvents()];
    expect([rewards.length > 1, events.length > 1]).to.deep.equal([true, true]);
    await pool.query(
      `insert into class (class, kind, tenant_id, campaign_id)
       select n, case when n % 2 = 0 then 'reward' else 'decision' end, $1, 'spring'
       from generate_series(1, 140000) as n`,
      [tenantId],
    );
    expect(await read()).to.deep.equal(rewards);
    expect(await readEvents()).to.deep.equal(events);
    // As if the class of another tenant's row were the same number.
    for (const [table, id, name] of [
      ['reward', 'reward_id', rewards[0]],
      ['decision', 'event_id', events[0]],
    ] as const) {
      await pool.query(`update ${table} set tenant_id = 'other' where ${id} = $1`, [name]);
    }
    expect(await read()).to.deep.equal(rewards.slice(1));
    expect(await readEvents()).to.deep.equal(events.slice(1));
  });
});

function idOf({ webhookEventId, attempt }: DeliveryRecord): string {
  return `${webhookEventId} ${attempt}`;
}

function isListed({ event, decision }: Known, filter: EventFilter): boolean {
  const { invoice, outcome } = filter;
  const names =
    event.eventType === 'purchase-created'
      ? [event.purchase.invoiceId]
      : event.eventType === 'purchase-refunded'
        ? [event.refund.invoiceId]
        : [];
  const same = (wanted: string | undefined, has: string | undefined) =>
    wanted === undefined || wanted === has;
  return (
    isWithin(event.receivedAt, filter) &&
    same(filter.type, event.eventType) &&
    same(filter.source, event.source) &&
    same(outcome, decision?.outcome ?? 'pending') &&
    same(filter.reason, decision?.reason) &&
    same(filter.user, event.newUser.id) &&
    same(filter.referrer, decision?.referrerId) &&
    same(filter.campaign, decision?.campaignId) &&
    same(filter.code, event.ucc) &&
    (invoice === undefined || names.includes(invoice))
  );
}

function isShown({ reward, recordedAt, actions }: Earned, filter: RewardFilter): boolean {
  const same = (wanted: string | undefined, has: string | undefined) =>
    wanted === undefined || wanted === has;
  return (
    isWithin(recordedAt, filter) &&
    same(filter.recipient, reward.recipientId) &&
    same(filter.role, reward.recipientRole) &&
    same(filter.campaign, reward.campaignId) &&
    same(filter.rule, reward.ruleId) &&
    same(filter.user, reward.newUserId) &&
    (filter.state === undefined || isAs(filter.state, { reward, actions }))
  );
}

function isAs(state: ShownState, { reward, actions }: Pick<Earned, 'reward' | 'actions'>): boolean {
  if (state !== 'held' && state !== 'review' && state !== 'withheld') {
    return shownState(reward) === state;
  }
  const isOpen = Number(reward.issuedCredits) < Number(reward.entitledCredits);
  const { reviewReasons: reviews = [] } = reward;
  const kept = keptBackAs({ state: shownState(reward), reviews, action: actions.at(-1)?.type });
  return kept === state && (reward.state !== 'issued' || isOpen);
}

function creditsOf({ entitledCredits, issuedCredits }: RewardRecord, state: ShownState): number {
  const isKept = state === 'held' || state === 'review' || state === 'withheld';
  return isKept ? Number(entitledCredits) - Number(issuedCredits) : Number(entitledCredits);
}

function isWithin(
  at: string,
  { from, to }: { from?: string | undefined; to?: string | undefined },
) {
  return (from === undefined || at >= from) && (to === undefined || at < to);
}

function inOrder<T>(
  items: readonly T[],
  order: 'newest' | 'oldest',
  placeOf: (item: T) => [string, string],
): T[] {
  const sorted = [...items].sort((a, b) => (placeOf(a).join(' ') < placeOf(b).join(' ') ? -1 : 1));
  return order === 'oldest' ? sorted : sorted.reverse();
}

async function readAll<T>(
  page: Pick<Page, 'limit' | 'order'>,
  read: (page: Page) => Promise<Listed<T>>,
): Promise<T[]> {
  const items: T[] = [];
  let after: Page['after'];
  do {
    const listed = await read({ ...page, after });
    expect(listed.items.length).to.be.at.most(page.limit);
    items.push(...listed.items);
    after = listed.next;
  } while (after !== undefined);
  return items;
}

function grouped(parts: readonly Record<string, string | undefined>[]) {
  const groups = new Map<string, number>();
  for (const part of parts) {
    for (const [by, value] of Object.entries(part)) {
      if (value !== undefined)
        groups.set(`${by} ${value}`, (groups.get(`${by} ${value}`) ?? 0) + 1);
    }
  }
  return { total: parts.length, groups: Object.fromEntries([...groups].sort()) };
}

function plain({ total, groups }: Counts<string>) {
  const named = groups.map(({ by, value, count }): [string, number] => [`${by} ${value}`, count]);
  return { total: total.count, groups: Object.fromEntries(named.sort()) };
}

function daily<T>(items: readonly T[], timeOf: (item: T) => string): number[] {
  const days = ['02-28', '03-01', '03-02', '03-03', '03-04', '03-05'];
  return days.map((day) => items.filter((item) => timeOf(item).startsWith(`2026-${day}`)).length);
}

function sumOf(issuances: readonly IssuanceRecord[]): number {
  return issuances.reduce((sum, { credits }) => sum + Number(credits), 0);
}

/** When the log got the record: of rewards, as the event says. */
function recordedMs(decoded: unknown): number {
  return Date.parse((decoded as Partial<RewardRecord> | null)?.occurredAt ?? receivedAt(0));
}

/** One of each kind of thing, over three days: which it is follows from its number. */
function makeWorld(): World {
  const world: World = { events: [], rewards: [], issuances: [], attempts: [], log: [] };
  const batches: Record<string, OnLog[]> = { a: [], b: [], c: [], d: [], e: [], f: [] };
  for (let n = 0; n < 240; n++) {
    const event = eventOf(n);
    const decision = n % 11 === 0 ? undefined : decide(n, event);
    world.events.push({ event, ...(decision && { decision }) });
    batches['a']!.push(onLog.event(event));
    if (decision === undefined) continue;
    if (n % 4 === 0) batches['b']!.push(onLog.decision(decisionOn(event)));
    batches['c']!.push(onLog.decision({ ...decision, version: 2 }));
    if (decision.outcome !== 'attributed') continue;
    const earned = earn(n, decision);
    world.rewards.push(earned);
    if (n % 3 === 0)
      batches['b']!.push(onLog.reward({ ...earned.reward, state: 'held', version: 1 }));
    batches['d']!.push(onLog.reward({ ...earned.reward, version: 2 }));
    batches['e']!.push(...earned.actions.map(onLog.issuance));
    if (earned.reward.issuedCredits === '0') continue;
    const credits = earned.reward.issuedCredits;
    const issued = issuanceOf(earned.reward, n, { credits, issuedAt: event.receivedAt });
    world.issuances.push(issued);
    batches['e']!.push(onLog.issuance(issued));
    const outcome = n % 5 === 0 ? 'failed' : 'delivered';
    // Many begin at the same time.
    const startedAt = `${event.receivedAt.slice(0, 10)}T00:00:00.000Z`;
    for (const attempt of [1, 2, 3].map((i) => attemptOf(issued, i, { outcome, startedAt }))) {
      world.attempts.push(attempt);
      batches[n % 2 === 0 ? 'e' : 'f']!.push(onLog.delivery(attempt));
    }
  }
  // As topics come: each by itself, decisions before some of their facts, some records twice.
  const { a = [], b = [], c = [], d = [], e = [], f = [] } = batches;
  const slices = [
    b,
    a.slice(0, 120),
    c,
    a.slice(100),
    d.slice(0, 70),
    d.slice(60),
    f,
    e,
    c.slice(0, 40),
  ];
  world.log = slices.flatMap((slice) => [...Map.groupBy(slice, ({ topic }) => topic).values()]);
  // Another tenant has the same, and is never seen.
  const other = { ...eventOf(900), tenantId: 'other' };
  world.log.push(
    [onLog.event(other)],
    [onLog.decision({ ...decisionOn(other), tenantId: 'other' })],
  );
  return world;
}

function eventOf(n: number): EventRecord {
  const about = { userId: n % 2 === 0 ? 'cara' : 'dora', ucc: n % 3 === 0 ? 'a-code' : 'b-code' };
  const at = receivedAt(Math.floor((n * 230_000) / 240 / 7) * 7);
  const source = (['v2', 'v2', 'widget', 'processor'] as const)[n % 4]!;
  const common = { receivedAt: at, source };
  if (n % 5 === 0) return { ...signup(n, about), ...common };
  if (n % 7 === 0) return { ...refund(n, { ...about, invoiceId: 'inv-3', amount: 5 }), ...common };
  return { ...purchase(n, about), ...common };
}

function decide(n: number, event: EventRecord): DecisionRecord {
  const campaignId = campaigns[n % 2]!;
  if (n % 13 === 0) return notAttributed(event, { reason: 'duplicate', campaignId });
  if (n % 17 === 0) return notAttributed(event, { outcome: 'waiting', reason: 'unknown-code' });
  return decisionOn(event, { campaignId, referrerId: people[n % 3]! });
}

function earn(n: number, decision: DecisionRecord): Earned {
  const shown = states[Math.floor(n / 3) % 6]!;
  const state = shown === 'capped' ? 'reversed' : shown;
  const limit = { step: 'limit' as const, detail: '', credits: '0' };
  const isGone = state === 'reversed';
  const reward = rewardFor(decision, {
    // Users sign up once, and here again and again.
    rewardId: uuid(5_000 + n),
    state,
    campaignId: decision.campaignId ?? '',
    recipientId: decision.referrerId ?? '',
    recipientRole: n % 4 === 0 ? 'new-user' : 'referrer',
    ruleId: n % 2 === 0 ? 'one' : 'two',
    entitledCredits: isGone ? '0' : '10',
    issuedCredits: state === 'issued' ? (n % 4 === 2 ? '10' : '4') : '0',
    occurredAt: decision.receivedAt,
    ...(shown === 'capped' && { calculation: [limit] }),
    ...(n % 3 !== 1 && { reviewReasons: ['revision-published-later'] }),
  });
  const types = ([[], ['released'], ['withheld'], ['withheld', 'released'], []] as const)[n % 5]!;
  const actions = types.map((type, i) => actionOn(reward, i + 1, type));
  return { reward, recordedAt: decision.receivedAt, actions };
}

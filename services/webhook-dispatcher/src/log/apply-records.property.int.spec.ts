import type { DeliveryFact, DeliveryRecord } from '@tributary/contracts/delivery-record';
import type { IssuanceRecord } from '@tributary/contracts/issuance-record';
import type { Incoming } from '@tributary/event-log/projection';
import { expect } from 'chai';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { createDispatchDatabase } from '../testing/database.ts';
import { attempted, expired, incomingFacts, resent } from '../testing/facts.ts';
import { incomingIssuances, issuance } from '../testing/records.ts';

/**
 * Whatever order the records of both topics are read in, however often and in whatever batches, and
 * whoever had claimed what in between: the tables are what the set of records says, in the words of
 * a model that knows nothing of orders.
 */
describe('the tables of the dispatcher', () => {
  let database: Awaited<ReturnType<typeof createDispatchDatabase>>;

  before(async () => {
    database = await createDispatchDatabase();
  });
  after(() => database.drop());

  it('are a function of the set of records', async () => {
    await fc.assert(
      fc.asyncProperty(anyStory, async ({ drafts, order, cuts, claims }) => {
        const ids = deliveriesOf(3);
        const issuances = ids.map((id) => issuance(id, { issuedAt, tenantId: tenantOf(id) }));
        const facts = drafts.map((draft) => factOf(draft, ids));
        const batches = arrange([...incomingIssuances(...issuances), ...incomingFacts(...facts)], {
          order,
          cuts,
        });
        for (const [n, batch] of batches.entries()) {
          await database.apply(...batch);
          if (claims[n % claims.length]) await claimAll(database.pool, ids);
          await expectCountersOf(database.pool, ids);
        }
        expect(await readTables(database.pool, ids)).to.deep.equal(modelOf(issuances, facts));
      }),
      { numRuns: 40 },
    );
  });

  it('are so too when several processes read at the same time, and none is in the way', async () => {
    const ids = deliveriesOf(100);
    const issuances = ids.map((id) => issuance(id, { issuedAt, tenantId: tenantOf(id) }));
    const facts = ids.flatMap((id, n) => [
      attempted(id, { ...timesAt(n), tenantId: tenantOf(id) }),
      attempted(id, {
        ...timesAt(n + 1),
        tenantId: tenantOf(id),
        attempt: 2,
        outcome: 'exhausted',
      }),
      resent(id, { tenantId: tenantOf(id), attempts: 2, at: timeOf(500) }),
    ]);
    const records = [...incomingIssuances(...issuances), ...incomingFacts(...facts)];
    const readers = [1, 7, 13, 29].map(async (stride) => {
      const order = records.map((_, n) => (n * stride) % records.length);
      for (const batch of arrange(records, { order, cuts: [20] })) await database.apply(...batch);
    });
    await Promise.all(readers);
    expect(await readTables(database.pool, ids)).to.deep.equal(modelOf(issuances, facts));
  });
});

type Tables = { deliveries: unknown[]; attempts: unknown[]; resends: unknown[] };

const issuedAt = '2026-03-01T10:00:00.000Z';

function timeOf(seconds: number): string {
  return new Date(Date.parse(issuedAt) + seconds * 1_000).toISOString();
}

function timesAt(seconds: number) {
  return { startedAt: timeOf(seconds), nextAttemptAt: timeOf(seconds + 60) };
}

/** Sorted, so that a model can name them by place. */
function deliveriesOf(count: number): string[] {
  return Array.from({ length: count }, () => randomUUID()).sort();
}

/** Some share a tenant. */
function tenantOf(webhookEventId: string): string {
  return `t${webhookEventId.charCodeAt(0) % 2}-${webhookEventId.slice(1, 2)}`;
}

type Draft = {
  kind: 'attempted' | 'expired' | 'resent';
  delivery: number;
  round: number;
  attempt: number;
  step: number;
  outcome: DeliveryRecord['outcome'];
  second: number;
  durationMs: number;
  delay: number;
  by: string;
};

const anyDraft: fc.Arbitrary<Draft> = fc.record({
  kind: fc.constantFrom('attempted', 'attempted', 'attempted', 'expired', 'resent'),
  delivery: fc.nat(2),
  round: fc.nat(2),
  attempt: fc.integer({ min: 1, max: 4 }),
  step: fc.nat(3),
  outcome: fc.constantFrom('failed', 'failed', 'failed', 'delivered', 'exhausted'),
  second: fc.integer({ min: 1, max: 50 }),
  durationMs: fc.nat(999),
  delay: fc.integer({ min: 1, max: 50 }),
  by: fc.constantFrom('anna', 'bert'),
});

const anyStory = fc.array(anyDraft, { minLength: 1, maxLength: 14 }).chain((drafts) => {
  const records = drafts.length + 3;
  return fc.record({
    drafts: fc.constant(drafts),
    // Each record at least once, some of them again.
    order: fc
      .array(fc.nat(records - 1), { maxLength: 8 })
      .chain((again) =>
        fc.shuffledSubarray([...Array(records).keys(), ...again], all(records, again)),
      ),
    cuts: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 10 }),
    claims: fc.array(fc.boolean(), { minLength: 1, maxLength: 10 }),
  });
});

function all(records: number, again: readonly number[]) {
  const length = records + again.length;
  return { minLength: length, maxLength: length };
}

function factOf(draft: Draft, ids: readonly string[]): DeliveryFact {
  const id = ids[draft.delivery]!;
  const { round, attempt, step, outcome, durationMs, second, delay, by } = draft;
  const tenantId = tenantOf(id);
  switch (draft.kind) {
    case 'attempted': {
      const startedAt = timeOf(second);
      const nextAttemptAt = timeOf(second + delay);
      return attempted(id, {
        ...{ tenantId, round, attempt, step, outcome, durationMs, startedAt },
        ...(outcome === 'failed' && { nextAttemptAt }),
      });
    }
    case 'expired':
      return expired(id, { tenantId, round, attempts: attempt, at: timeOf(second) });
    case 'resent':
      return resent(id, { tenantId, round: round + 1, attempts: attempt, by, at: timeOf(second) });
    default:
      return draft.kind satisfies never;
  }
}

/** In the given order, in batches of one source each, as the projection hands them over. */
function arrange(
  records: readonly Incoming[],
  { order, cuts }: { order: readonly number[]; cuts: readonly number[] },
): Incoming[][] {
  const batches: Incoming[][] = [];
  for (const place of order) {
    const record = records[place]!;
    const last = batches.at(-1);
    const room = cuts[batches.length % cuts.length]!;
    if (last && last.length < room && last[0]!.source === record.source) last.push(record);
    else batches.push([record]);
  }
  return batches;
}

async function claimAll(pool: pg.Pool, ids: readonly string[]): Promise<void> {
  await pool.query(
    `with claimed as (
       update delivery set claimed_by = gen_random_uuid()
       where webhook_event_id = any($1::uuid[]) and state = 'pending' and claimed_by is null
         and body is not null
       returning tenant_id, retry
     )
     update endpoint e
     set in_flight = in_flight + (select count(*) from claimed c where c.tenant_id = e.tenant_id),
       retries_in_flight = retries_in_flight
         + (select count(*) from claimed c where c.tenant_id = e.tenant_id and c.retry)`,
    [ids],
  );
}

/** What endpoints believe to be in flight is what is claimed. */
async function expectCountersOf(pool: pg.Pool, ids: readonly string[]): Promise<void> {
  const { rows } = await pool.query(
    `select e.tenant_id, e.in_flight, e.retries_in_flight, count(d.claimed_by)::int as claimed,
       count(d.claimed_by) filter (where d.retry)::int as retries
     from endpoint e join delivery d using (tenant_id)
     group by e.tenant_id
     having e.in_flight <> count(d.claimed_by)
       or e.retries_in_flight <> count(d.claimed_by) filter (where d.retry)`,
  );
  expect(rows, ids.join()).to.deep.equal([]);
}

async function readTables(pool: pg.Pool, ids: readonly string[]): Promise<Tables> {
  const read = async (sql: string) => (await pool.query(sql, [ids])).rows as unknown[];
  return {
    deliveries: await read(
      `select webhook_event_id as id, state, round, attempts, step, round_started_at as "startedAt",
         case when state = 'pending' then due_at end as "dueAt", finished_at as "finishedAt",
         body is not null as "hasBody"
       from delivery where webhook_event_id = any($1::uuid[]) order by webhook_event_id`,
    ),
    attempts: await read(
      `select webhook_event_id as id, attempt, round, step, outcome, started_at as "startedAt",
         duration_ms as "durationMs"
       from attempt where webhook_event_id = any($1::uuid[]) order by webhook_event_id, attempt`,
    ),
    resends: await read(
      `select webhook_event_id as id, round, asked_by as by, asked_at as at
       from resend where webhook_event_id = any($1::uuid[]) order by webhook_event_id, round`,
    ),
  };
}

function modelOf(issuances: readonly IssuanceRecord[], facts: readonly DeliveryFact[]): Tables {
  const tables: Tables = { deliveries: [], attempts: [], resends: [] };
  for (const { webhookEventId: id } of issuances) {
    const own = facts.filter((fact) => fact.webhookEventId === id);
    tables.deliveries.push(deliveryOf(id, own));
    tables.attempts.push(...attemptsOf(id, own));
    tables.resends.push(...resendsOf(id, own));
  }
  return tables;
}

function deliveryOf(id: string, facts: readonly DeliveryFact[]) {
  const round = Math.max(0, ...facts.map((fact) => fact.round));
  const present = facts.filter((fact) => fact.round === round);
  const expected = present.map((fact) => ({
    state: stateAfter(fact),
    step: fact.type === 'attempted' ? fact.step : 0,
    endedAt: endOf(fact),
    dueAt: fact.type === 'attempted' ? fact.nextAttemptAt : fact.at,
  }));
  const state =
    (['delivered', 'exhausted'] as const).find((s) => expected.some((one) => one.state === s)) ??
    'pending';
  const step = Math.max(0, ...expected.map((one) => one.step));
  const plans = expected.filter((one) => one.step === step).map((one) => one.dueAt ?? issuedAt);
  const ends = expected.filter((one) => one.state === state).map((one) => one.endedAt);
  const asked = present.flatMap((fact) => (fact.type === 'resent' ? [fact.at] : []));
  const attempts = facts.map((fact) => (fact.type === 'attempted' ? fact.attempt : fact.attempts));
  return {
    id,
    state,
    round,
    attempts: Math.max(0, ...attempts),
    step,
    startedAt: new Date(asked.sort()[0] ?? issuedAt),
    dueAt: state === 'pending' ? new Date(plans.sort().at(-1) ?? issuedAt) : null,
    finishedAt: state === 'pending' ? null : new Date(ends.sort()[0]!),
    hasBody: true,
  };
}

function stateAfter(fact: DeliveryFact): string {
  if (fact.type === 'attempted') return fact.outcome === 'failed' ? 'pending' : fact.outcome;
  return fact.type === 'expired' ? 'exhausted' : 'pending';
}

function endOf(fact: DeliveryFact): string {
  if (fact.type !== 'attempted') return fact.at;
  return new Date(Date.parse(fact.startedAt) + fact.durationMs).toISOString();
}

/** Where two attempts share one number, the one that says most is shown. */
function attemptsOf(id: string, facts: readonly DeliveryFact[]) {
  const recorded = facts.filter((fact): fact is DeliveryRecord => fact.type === 'attempted');
  const weight = (fact: DeliveryRecord) =>
    [
      ['failed', 'exhausted', 'delivered'].indexOf(fact.outcome),
      fact.round,
      fact.step,
      fact.startedAt,
      String(fact.durationMs).padStart(4, '0'),
    ].join(' ');
  const best = new Map<number, DeliveryRecord>();
  for (const fact of [...recorded].sort((a, b) => (weight(a) < weight(b) ? -1 : 1))) {
    best.set(fact.attempt, fact);
  }
  return [...best.values()]
    .sort((a, b) => a.attempt - b.attempt)
    .map(({ attempt, round, step, outcome, startedAt, durationMs }) => ({
      ...{ id, attempt, round, step, outcome },
      startedAt: new Date(startedAt),
      durationMs,
    }));
}

/** Where two asked for one round, the first counts. */
function resendsOf(id: string, facts: readonly DeliveryFact[]) {
  const first = new Map<number, { id: string; round: number; by: string; at: Date }>();
  const asked = facts.flatMap((fact) => (fact.type === 'resent' ? [fact] : []));
  for (const { round, by, at } of asked.sort((a, b) =>
    `${a.at} ${a.by}` < `${b.at} ${b.by}` ? -1 : 1,
  )) {
    if (!first.has(round)) first.set(round, { id, round, by, at: new Date(at) });
  }
  return [...first.values()].sort((a, b) => a.round - b.round);
}

import type { DeliveryFact } from '@tributary/contracts/delivery-record';
import { inTransaction } from '@tributary/runtime/postgres';
import { expect } from 'chai';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { restoreFacts } from '../log/restore-facts.ts';
import { type Claim, claimDeliveries } from '../db/claim-deliveries.ts';
import { freeDeadWorkers, releaseClaims } from '../db/release-claims.ts';
import { putEndpoints } from '../db/put-endpoints.ts';
import { findDeadWorkers, registerWorker } from '../db/worker-rows.ts';
import { breakerSettings } from '../domain/breaker.ts';
import { type AttemptEnd, deliveryFact } from '../domain/delivery-fact.ts';
import { foldFacts } from '../domain/known-outcome.ts';
import { createResultWriter } from './result-writer.ts';
import { createDispatchDatabase, silentLogger } from '../testing/database.ts';
import { attempted, expired, resent } from '../testing/facts.ts';
import { activeEndpoint } from '../testing/fleet.ts';
import { incomingIssuances, issuance, uuidOf } from '../testing/records.ts';

/**
 * Whatever happens in whichever order, an endpoint's counters are what the rows say, no more is
 * sent to it at once than its room, and it is looked at no later than something of it is due.
 */
const perEndpoint = 3;
const tenants = ['t0', 't1', 't2'];

type Step =
  | { do: 'issue'; delivery: number }
  | { do: 'claim'; worker: number; limit: number }
  | { do: 'end'; worker: number; count: number }
  | { do: 'result'; worker: number; count: number; how: 'delivered' | 'failed' | 'exhausted' }
  | { do: 'release'; worker: number; count: number }
  | { do: 'die'; worker: number; recorded: number }
  | { do: 'sweep'; unread: number[] }
  | { do: 'read-log' }
  | { do: 'restore'; delivery: number; attempt: number; outcome: 'failed' | 'delivered' }
  | { do: 'resend'; delivery: number }
  | { do: 'expire'; delivery: number }
  | { do: 'breaker'; tenant: number; open: boolean };

describe('counters of endpoints', function () {
  this.timeout(180_000);
  let database: Awaited<ReturnType<typeof createDispatchDatabase>>;

  before(async () => {
    database = await createDispatchDatabase();
  });

  after(() => database.drop());

  it('are the claimed rows that take room after any sequence of claim, result, kill, resend and restore', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const world = await createWorld();
        for (const one of steps) {
          await world.take(one);
          await holds(JSON.stringify(one), world.ended);
        }
        await world.finish();
        await holds('the end', world.ended);
        await matchesTheLog(world.log);
        const { rows } = await database.pool.query(
          'select from delivery where claimed_by is not null',
        );
        expect(rows).to.have.length(0);
      }),
      { numRuns: 25 },
    );
  });

  async function createWorld() {
    const { pool } = database;
    await pool.query('truncate delivery, attempt, resend, endpoint, worker');
    await inTransaction(pool, (tx) => putEndpoints(tx, tenants.map(activeEndpoint)));
    const log: DeliveryFact[] = [];
    let toRead: DeliveryFact[] = [];
    /** Deliveries whose exchange is over and whose claim may be there still. */
    const ended = new Set<string>();
    const results = createResultWriter({
      pool,
      logger: silentLogger,
      appender: { append: () => Promise.resolve() },
      deliveriesTopic: 'deliveries',
      breaker: { ...breakerSettings, failuresInARow: 3, openMs: 1, maxOpenMs: 1 },
      overtaken: async (tx, facts) => void (await restoreFacts(tx, facts)),
    });
    const workers = await Promise.all([aWorker(), aWorker()]);

    async function aWorker(): Promise<Worker> {
      const id = randomUUID();
      await registerWorker(pool, { workerId: id, name: 'test', leaseMs: 600_000 });
      return { id, claims: [], ended: new Set() };
    }

    function append(...facts: DeliveryFact[]): void {
      log.push(...facts);
      toRead.push(...facts);
    }

    async function readLog(isUnread = (_: { webhookEventId: string }) => false): Promise<void> {
      const facts = toRead.filter((fact) => !isUnread(fact));
      toRead = toRead.filter(isUnread);
      await inTransaction(pool, (tx) => restoreFacts(tx, facts));
    }

    /** While the partitions of some deliveries cannot be read. */
    async function sweep(unread: readonly number[]): Promise<void> {
      const ids = new Set(unread.map(idOf));
      const isUnread = ({ webhookEventId }: { webhookEventId: string }) => ids.has(webhookEventId);
      const dead = await findDeadWorkers(pool);
      await readLog(isUnread);
      await inTransaction(pool, (tx) =>
        freeDeadWorkers(
          tx,
          dead.map(({ workerId }) => workerId),
          isUnread,
        ),
      );
    }

    function resultOf(claim: Claim, state: AttemptEnd['state']) {
      const startedAt = new Date();
      const end: AttemptEnd =
        state === 'pending'
          ? { state, step: claim.step + 1, dueAt: startedAt }
          : { state, step: claim.step + 1 };
      const delivered = state === 'delivered';
      const evaluation = { delivered, result: 'status' as const, statusCode: 200 };
      const fact = deliveryFact(claim, { evaluation, startedAt, durationMs: 0 }, end);
      return { claim, fact, end, evaluation, endedAt: startedAt };
    }

    async function tell(claims: readonly Claim[], state: AttemptEnd['state']): Promise<void> {
      await Promise.all(
        claims.map((claim) => {
          const result = resultOf(claim, state);
          append(result.fact);
          return results.write(result);
        }),
      );
    }

    function isNotDelivered({ webhookEventId }: Claim): void {
      const known = foldFacts(log.filter((fact) => fact.webhookEventId === webhookEventId));
      expect(known[0]?.status.state).not.to.equal('delivered');
    }

    async function take(one: Step): Promise<void> {
      switch (one.do) {
        case 'issue': {
          const { delivery } = one;
          const tenantId = tenantOf(delivery);
          return database.apply(...incomingIssuances(issuance(idOf(delivery), { tenantId })));
        }
        case 'claim': {
          const worker = workers[one.worker]!;
          const { limit } = one;
          const claims = await inTransaction(pool, (tx) =>
            claimDeliveries(tx, worker.id, { limit, perEndpoint, ended: worker.ended }),
          );
          for (const { webhookEventId } of claims) ended.delete(webhookEventId);
          claims.forEach(isNotDelivered);
          worker.claims.push(...claims);
          return;
        }
        case 'end': {
          const worker = workers[one.worker]!;
          for (const claim of worker.claims.slice(0, one.count)) {
            worker.ended.add(claim);
            ended.add(claim.webhookEventId);
          }
          return;
        }
        case 'result': {
          const claims = workers[one.worker]!.claims.splice(0, one.count);
          for (const { webhookEventId } of claims) ended.delete(webhookEventId);
          return tell(claims, one.how === 'failed' ? 'pending' : one.how);
        }
        case 'release': {
          // What was sent is not given back.
          const worker = workers[one.worker]!;
          const unsent = worker.claims.filter((claim) => !ended.has(claim.webhookEventId));
          const claims = unsent.slice(0, one.count);
          worker.claims = worker.claims.filter((claim) => !claims.includes(claim));
          await inTransaction(pool, (tx) => releaseClaims(tx, claims));
          return;
        }
        case 'die': {
          const { id, claims, ended: over } = workers[one.worker]!;
          const recorded = claims.splice(0, one.recorded);
          append(...recorded.map((claim) => resultOf(claim, 'delivered').fact));
          // It keeps what it claimed: its results may come late, as of one that was asleep.
          workers[one.worker] = { ...(await aWorker()), claims: claims.splice(0, 1), ended: over };
          await pool.query('update worker set alive_until = now() where worker_id = $1', [id]);
          return;
        }
        case 'sweep':
          return sweep(one.unread);
        case 'read-log':
          return readLog();
        case 'restore': {
          const { delivery, attempt, outcome } = one;
          return restore(
            attempted(idOf(delivery), { attempt, outcome, tenantId: tenantOf(delivery) }),
          );
        }
        case 'resend':
          return restore(resent(idOf(one.delivery), { tenantId: tenantOf(one.delivery) }));
        case 'expire':
          return restore(expired(idOf(one.delivery), { tenantId: tenantOf(one.delivery) }));
        case 'breaker': {
          await pool.query(
            `update endpoint set probe_at = case when $2 then now() end, opened = $2::int
             where tenant_id = $1`,
            [tenants[one.tenant], one.open],
          );
          return;
        }
        default:
          return one satisfies never;
      }
    }

    async function restore(fact: DeliveryFact): Promise<void> {
      append(fact);
      await inTransaction(pool, (tx) => restoreFacts(tx, [fact]));
    }

    return {
      log,
      ended,
      take,
      async finish() {
        await pool.query('update worker set alive_until = now()');
        await sweep([]);
      },
    };
  }

  /** A rebuilt table would be the same: nothing is known here that the log does not say. */
  async function matchesTheLog(log: readonly DeliveryFact[]): Promise<void> {
    const { rows } = await database.pool.query<Record<string, unknown>>(
      'select webhook_event_id as id, state, round, attempts, step from delivery',
    );
    const rowOf = new Map(rows.map(({ id, ...row }) => [id, row]));
    for (const { webhookEventId, status } of foldFacts(log)) {
      const { state, round, attempts, step } = status;
      expect(rowOf.get(webhookEventId)).to.deep.equal({ state, round, attempts, step });
    }
  }

  async function holds(after: string, ended: ReadonlySet<string>): Promise<void> {
    const { rows } = await database.pool.query<Record<string, unknown>>(
      `select e.tenant_id, e.in_flight, e.retries_in_flight,
         (count(d.claimed_by) filter (where not d.roomless))::int as claimed,
         (count(d.claimed_by) filter (where not d.roomless and d.retry))::int as claimed_retries,
         (count(d.claimed_by) filter (
           where not d.roomless and d.webhook_event_id <> all($2::uuid[])))::int as being_sent,
         coalesce(e.next_at > greatest(now(), min(d.due_at) filter (
           where d.state = 'pending' and d.body is not null and d.claimed_by is null
             and (not d.retry or e.retries_in_flight < ceil($1 / 2.0)))), false)
           and bool_or(d.state = 'pending' and d.body is not null and d.claimed_by is null
             and (not d.retry or e.retries_in_flight < ceil($1 / 2.0))) as late
       from endpoint e left join (
         select d.*, coalesce(not w.takes_room, false) as roomless
         from delivery d left join worker w on w.worker_id = d.claimed_by
       ) d using (tenant_id)
       group by e.tenant_id
       order by 1`,
      [perEndpoint, [...ended]],
    );
    for (const row of rows) {
      expect(row['in_flight'], after).to.equal(row['claimed']);
      expect(row['retries_in_flight'], after).to.equal(row['claimed_retries']);
      expect(row['being_sent'], after).to.be.at.most(perEndpoint);
      expect(row['late'] && Number(row['in_flight']) < perEndpoint, after).to.equal(false);
    }
  }
});

/** `ended`: also of its former ids, and those whose results are written. */
type Worker = { id: string; claims: Claim[]; ended: Set<Claim> };

const deliveries = 12;

function idOf(delivery: number): string {
  return uuidOf(`d-${delivery}`);
}

function tenantOf(delivery: number): string {
  return tenants[delivery % tenants.length]!;
}

const delivery = fc.nat(deliveries - 1);
const worker = fc.nat(1);
const count = fc.integer({ min: 1, max: 3 });
const how = fc.constantFrom('delivered' as const, 'failed' as const, 'exhausted' as const);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('issue' as const), delivery }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('claim' as const),
      worker,
      limit: fc.integer({ min: 1, max: 8 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('end' as const), worker, count }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('result' as const), worker, count, how }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), worker, count }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('die' as const), worker, recorded: fc.nat(2) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('sweep' as const), unread: fc.uniqueArray(delivery) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('read-log' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('restore' as const),
      delivery,
      attempt: fc.integer({ min: 1, max: 4 }),
      outcome: fc.constantFrom('failed' as const, 'delivered' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('resend' as const), delivery }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('expire' as const), delivery }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('breaker' as const),
      tenant: fc.nat(2),
      open: fc.boolean(),
    }),
  },
);

import { inTransaction, type Tx } from '@tributary/runtime/postgres';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { createDispatchDatabase } from '../testing/database.ts';
import { attempted, incomingFacts, incomingTenant } from '../testing/facts.ts';
import { activeEndpoint } from '../testing/fleet.ts';
import { incomingIssuances, issuance, uuidOf } from '../testing/records.ts';
import { restoreFacts } from '../log/restore-facts.ts';
import { type Claim, claimDeliveries } from './claim-deliveries.ts';
import { findNextLook } from './next-look.ts';
import { putEndpoints } from './put-endpoints.ts';
import { readBacklog } from './read-backlog.ts';
import { readPressure } from './read-pressure.ts';
import { releaseClaims } from './release-claims.ts';
import { registerWorker } from './worker-rows.ts';

const perEndpoint = 4;

describe('claimDeliveries', () => {
  let database: Awaited<ReturnType<typeof createDispatchDatabase>>;
  let workerId: string;

  before(async () => {
    database = await createDispatchDatabase();
  });

  beforeEach(async () => {
    await database.pool.query('truncate delivery, attempt, resend, endpoint, worker, tenant');
    await inTransaction(database.pool, (tx) =>
      putEndpoints(tx, ['t1', 't2', 't3'].map(activeEndpoint)),
    );
    workerId = await aWorker();
    // A first look finds out that there is nothing yet, and slots are not shared with the others.
    await claim();
  });

  after(() => database.drop());

  it('never has two claims at once take one row or more than the room', async () => {
    await issue(20);
    const first = await openTransaction();
    const firstClaims = await claimDeliveries(first.tx, workerId, { limit: 3, perEndpoint });
    // Not committed: another claim must neither wait for it nor count wrong.
    const meanwhile = await claim(await aWorker());
    await first.end('commit');
    const afterwards = await claim(await aWorker());
    expect(meanwhile).to.have.length(0);
    expect([firstClaims.length, afterwards.length]).to.deep.equal([3, 1]);
    const taken = [...firstClaims, ...afterwards].map((c) => c.webhookEventId);
    expect(new Set(taken).size).to.equal(4);
    expect(await claim(await aWorker())).to.have.length(0);
    expect(await counters('t1')).to.deep.equal({ in_flight: 4, retries_in_flight: 0 });
  });

  it('takes nothing for itself when it is rolled back', async () => {
    await issue(4);
    const first = await openTransaction();
    await claimDeliveries(first.tx, workerId, { limit: 10, perEndpoint });
    await first.end('rollback');
    expect(await counters('t1')).to.deep.equal({ in_flight: 0, retries_in_flight: 0 });
    expect(await claim()).to.have.length(4);
  });

  it('gives nothing to a worker that is not alive', async () => {
    await issue(4);
    await database.pool.query('update worker set alive_until = now()');
    expect(await claim()).to.deep.equal([]);
    expect(await claim(randomUUID())).to.deep.equal([]);
  });

  it('gives nothing to a worker of a server that was taken over from (0011)', async () => {
    await issue(4);
    await database.pool.query(`update worker set timeline = 'FFFFFFFF'`);
    expect(await claim()).to.deep.equal([]);
    expect(await claim(await aWorker())).to.have.length(4);
  });

  it('waits for nobody who holds a row', async () => {
    await issue(2);
    const other = await openTransaction();
    const [held] = await idsOf(1);
    await other.tx.query('select from delivery where webhook_event_id = $1 for update', [held]);
    expect((await claim()).map((c) => c.webhookEventId)).not.to.include(held);
    await other.end('commit');
    expect((await claim()).map((c) => c.webhookEventId)).to.deep.equal([held]);
  });

  it('waits for nobody who holds the worker: whoever frees what that held waits for endpoints', async () => {
    await issue(1);
    const sweep = await openTransaction();
    await sweep.tx.query('select from worker where worker_id = $1 for update', [workerId]);
    const claims = await inTransaction(database.pool, async (tx) => {
      await tx.query(`set local lock_timeout = '2s'`);
      return claimDeliveries(tx, workerId, { limit: 1, perEndpoint });
    });
    expect(claims).to.deep.equal([]);
    await sweep.end('rollback');
    expect(await claim()).to.have.length(1);
  });

  it('serves endpoints in turn', async () => {
    await issue(50, { tenantId: 't1' });
    await issue(2, { tenantId: 't2' });
    await issue(2, { tenantId: 't3' });
    const claims = await claim(workerId, 6);
    expect(countBy(claims)).to.deep.equal({ t1: 2, t2: 2, t3: 2 });
  });

  it('lets no endpoint with older work be served again before one that waits', async () => {
    const long = { issuedAt: '2026-01-01T00:00:00.000Z' };
    await issue(6, { tenantId: 't1', ...long });
    await issue(6, { tenantId: 't2', ...long });
    await issue(1, { tenantId: 't3' });
    // One slot at a time, and what is sent ends at once: all three have nothing in flight.
    const served: string[] = [];
    for (let n = 0; n < 3; n++) {
      const [one] = await claim(workerId, 1);
      served.push(one!.tenantId);
      await inTransaction(database.pool, (tx) =>
        restoreFacts(tx, [
          attempted(one!.webhookEventId, { tenantId: one!.tenantId, outcome: 'delivered' }),
        ]),
      );
    }
    expect(served).to.have.members(['t1', 't2', 't3']);
  });

  it('takes first tries before retries, each by due time, and few retries at once', async () => {
    await retries(10);
    expect((await claim()).map((c) => c.attempt)).to.deep.equal([2, 2]);
    await issue(10);
    expect((await claim()).map((c) => c.attempt)).to.deep.equal([1, 1]);
    expect(await counters('t1')).to.deep.equal({ in_flight: 4, retries_in_flight: 2 });
  });

  it('takes one delivery as the probe of an open breaker, when nothing else is in flight', async () => {
    await issue(5);
    await database.pool.query(
      `update endpoint set probe_at = now() + interval '1 hour', opened = 1`,
    );
    expect(await claim()).to.deep.equal([]);
    await database.pool.query('update endpoint set probe_at = now()');
    const probes = await claim();
    expect(probes.map((c) => c.probe)).to.deep.equal([true]);
    expect(await claim()).to.deep.equal([]);
  });

  it('takes nothing of an endpoint that is paused, disabled or not there', async () => {
    await issue(2, { tenantId: 'none' });
    for (const status of ['paused', 'disabled']) {
      await issue(2);
      await database.pool.query(`update endpoint set status = $1 where tenant_id = 't1'`, [status]);
      expect(await claim()).to.deep.equal([]);
    }
  });

  it('takes nothing of a tenant that is suspended, and all of it once that is resumed', async () => {
    await issue(2);
    await database.apply(incomingTenant('t1', 'suspended', 2));
    expect(await claim()).to.deep.equal([]);
    await database.apply(incomingTenant('t1', 'active', 1));
    expect(await claim(), 'an older record resumes nobody').to.deep.equal([]);
    await database.apply(incomingTenant('t1', 'active', 3));
    expect(await claim()).to.have.length(2);
  });

  it('finds nothing to look at, and nothing that presses, while a tenant is suspended', async () => {
    await issue(2);
    const look = async () => (await findNextLook(database.pool, { perEndpoint })).ms;
    const pressure = () => readPressure(database.pool, 10);
    const due = async () => {
      const backlog = await readBacklog(database.pool);
      return [backlog.get('sendable')?.due, backlog.get('suspended')?.due];
    };
    expect(await look()).to.be.at.most(0);
    expect([await pressure(), await due()]).to.deep.equal([2, [2, 0]]);
    await database.apply(incomingTenant('t1', 'suspended', 2));
    expect(await look()).to.equal(undefined);
    expect([await pressure(), await due()]).to.deep.equal([0, [0, 2]]);
    await database.apply(incomingTenant('t1', 'active', 3));
    expect(await look()).to.be.at.most(0);
    expect([await pressure(), await due()]).to.deep.equal([2, [2, 0]]);
  });

  it('counts the horizon from the resumption of the tenant when that is later', async () => {
    const issuedAt = '2026-03-01T10:00:00.000Z';
    const resumedAt = '2026-03-09T10:00:00.000Z';
    const records = [
      incomingTenant('t1', 'active', 1, '2026-03-01T09:00:00.000Z'),
      incomingTenant('t1', 'suspended', 2, '2026-03-01T11:00:00.000Z'),
      incomingTenant('t1', 'active', 3, resumedAt),
      incomingTenant('t1', 'active', 4, '2026-03-10T10:00:00.000Z'),
    ];
    // However the log is cut into batches, and what of it is read twice.
    for (const batches of [
      [records],
      records.map((record) => [record]),
      [records.slice(0, 2), records.slice(2), records],
      [records.slice(0, 3), records.slice(1)],
    ]) {
      await database.pool.query('truncate tenant');
      for (const batch of batches) await database.apply(...batch);
      await issue(1, { issuedAt });
      const [claimed] = await claim();
      expect(claimed?.horizonFrom).to.deep.equal(new Date(resumedAt));
    }
    await issue(1, { issuedAt, tenantId: 't2' });
    expect((await claim())[0]?.horizonFrom).to.deep.equal(new Date(issuedAt));
  });

  it('notes when an endpoint is next worth a look', async () => {
    await issue(1);
    expect(await claim()).to.have.length(1);
    expect(await nextAt('t1')).to.equal('infinity');
    await issue(1);
    expect(await nextAt('t1')).to.equal('now');
    await claim();
    const later = attempted(uuidOf('later'), { nextAttemptAt: '2126-01-01T00:00:00.000Z' });
    await database.apply(...incomingIssuances(issuance(uuidOf('later'))));
    await database.apply(...incomingFacts(later));
    await claim();
    expect(await nextAt('t1')).to.equal('2126-01-01');
  });

  it('looks at an endpoint again as soon as a claim is given back', async () => {
    await issue(6);
    const claims = await claim();
    expect(await claim()).to.deep.equal([]);
    await inTransaction(database.pool, (tx) => releaseClaims(tx, claims));
    expect(await nextAt('t1')).to.equal('now');
    expect(await claim()).to.have.length(4);
  });

  it('stays within the pages of its rows, so that no index is written', async () => {
    await issue(500);
    const pages = () =>
      database.pool.query<{ id: string; page: number }>(
        `select webhook_event_id as id, (ctid::text::point)[0]::int as page from delivery
         order by 1`,
      );
    const before = await pages();
    expect(await claim(workerId, 400, 400)).to.have.length(400);
    expect((await pages()).rows).to.deep.equal(before.rows);
    const { rows } = await database.pool.query(
      `select from pg_indexes where tablename = 'delivery' and indexdef like '%claimed_by%'`,
    );
    expect(rows).to.have.length(0);
  });

  let issued = 0;

  async function issue(count: number, changes: Parameters<typeof issuance>[1] = {}): Promise<void> {
    const records = Array.from({ length: count }, () => issuance(uuidOf(`n-${issued++}`), changes));
    await database.apply(...incomingIssuances(...records));
  }

  async function retries(count: number): Promise<void> {
    const eventIds = Array.from({ length: count }, () => uuidOf(`n-${issued++}`));
    await database.apply(...incomingIssuances(...eventIds.map((id) => issuance(id))));
    await database.apply(...incomingFacts(...eventIds.map((id) => attempted(id))));
  }

  function claim(worker = workerId, limit = 100, room = perEndpoint): Promise<Claim[]> {
    return inTransaction(database.pool, (tx) =>
      claimDeliveries(tx, worker, { limit, perEndpoint: room }),
    );
  }

  async function aWorker(): Promise<string> {
    const id = randomUUID();
    await registerWorker(database.pool, { workerId: id, name: 'test', leaseMs: 60_000 });
    return id;
  }

  async function openTransaction() {
    const tx: Tx = await database.pool.connect();
    await tx.query('begin');
    return {
      tx,
      async end(how: 'commit' | 'rollback') {
        await tx.query(how);
        tx.release();
      },
    };
  }

  async function idsOf(count: number): Promise<string[]> {
    const { rows } = await database.pool.query<{ id: string }>(
      'select webhook_event_id as id from delivery order by 1 limit $1',
      [count],
    );
    return rows.map((row) => row.id);
  }

  async function counters(tenantId: string) {
    const { rows } = await database.pool.query<{ in_flight: number; retries_in_flight: number }>(
      'select in_flight, retries_in_flight from endpoint where tenant_id = $1',
      [tenantId],
    );
    return rows[0];
  }

  async function nextAt(tenantId: string): Promise<string> {
    const { rows } = await database.pool.query<{ next: string }>(
      `select case when next_at <= now() then 'now' when next_at = 'infinity' then 'infinity'
         else next_at::date::text end as next
       from endpoint where tenant_id = $1`,
      [tenantId],
    );
    return rows[0]!.next;
  }
});

function countBy(claims: readonly Claim[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { tenantId } of claims) counts[tenantId] = (counts[tenantId] ?? 0) + 1;
  return counts;
}

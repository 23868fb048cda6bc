import type { CatchUp } from '@tributary/event-log/catch-up';
import { inTransaction } from '@tributary/runtime/postgres';
import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { claimDeliveries } from '../db/claim-deliveries.ts';
import { putEndpoints } from '../db/put-endpoints.ts';
import { registerWorker } from '../db/worker-rows.ts';
import { createDeadWorkerSweep, type DeadWorkerSweep } from './dead-worker-sweep.ts';
import { createDispatchDatabase, silentLogger } from '../testing/database.ts';
import { activeEndpoint } from '../testing/fleet.ts';
import { incomingIssuances, issuance, uuidOf } from '../testing/records.ts';

const ids = ['a', 'b'].map(uuidOf).sort();

describe('a sweep of dead workers', () => {
  let database: Awaited<ReturnType<typeof createDispatchDatabase>>;
  /** Names partitions that are stopped, by the one delivery in each. */
  let unread: string[];
  let questions: number;
  let frees: number;
  let sweeps: DeadWorkerSweep[];

  beforeEach(async () => {
    database = await createDispatchDatabase();
    await inTransaction(database.pool, (tx) => putEndpoints(tx, [activeEndpoint('t1')]));
    [unread, questions, frees, sweeps] = [[], 0, 0, []];
  });
  afterEach(async () => {
    await Promise.all(sweeps.map((sweep) => sweep.stop()));
    await database.drop();
  });

  it('keeps what waits for a stopped partition from a process of the former release', async () => {
    await claimAll();
    await allDie();
    unread = ids;
    await startSweep();
    await passedOn();
    // It frees what endpoints have in flight, which is nothing here, and removes whoever is dead.
    await database.pool.query('delete from worker where alive_until <= now()');
    unread = [];
    await freed();
  });

  it('frees, once it starts, claims that name no worker any more', async () => {
    await claimAll();
    await database.pool.query('delete from worker');
    await startSweep();
    await freed();
  });

  it('frees such claims when nobody can still be sending them, and their log was read', async () => {
    await claimAll();
    await database.pool.query('delete from worker');
    unread = ids.slice(0, 1);
    await startSweep({ leaseMs: patiently(5_000) });
    await eventually(async () => {
      const { rows } = await database.pool.query('select from worker');
      expect(rows).to.have.length(1);
    });
    expect(await claimed()).to.deep.equal(ids);
    await eventually(async () => expect(await claimed()).to.deep.equal(ids.slice(0, 1)));
    unread = [];
    await freed();
  });

  it('frees what a dead worker holds where the counters of its endpoint know less', async () => {
    await claimAll();
    await database.pool.query('update endpoint set in_flight = 0');
    await allDie();
    await startSweep();
    await freed();
  });

  it('looks again at what waits for stopped partitions only when others are stopped', async () => {
    await claimAll();
    await allDie();
    unread = ids;
    await startSweep();
    await passedOn();
    await questionsAsked(5);
    expect(frees).to.be.at.most(2);
    unread = ids.slice(0, 1);
    await eventually(async () => expect(await claimed()).to.deep.equal(unread));
    await claimAll();
    await allDie();
    await eventually(async () => expect(await claimed()).to.deep.equal(unread));
    unread = [];
    await freed();
  });

  /** A worker of its own takes everything that is due. */
  async function claimAll(): Promise<void> {
    const { pool } = database;
    await database.apply(...incomingIssuances(...ids.map((id) => issuance(id))));
    const workerId = randomUUID();
    await registerWorker(pool, { workerId, name: 'test', leaseMs: 600_000 });
    await inTransaction(pool, (tx) =>
      claimDeliveries(tx, workerId, { limit: 10, perEndpoint: 10 }),
    );
    expect(await claimed()).to.deep.equal(ids);
  }

  async function allDie(): Promise<void> {
    await database.pool.query('update worker set alive_until = now() where takes_room');
  }

  async function startSweep({ leaseMs = 0 } = {}): Promise<void> {
    const { pool } = database;
    const counting: typeof pool = Object.assign(Object.create(pool) as typeof pool, {
      connect(...args: []) {
        // A query of the pool itself hands over a callback.
        if (args.length === 0) frees += 1;
        return pool.connect(...args);
      },
    });
    const sweep = createDeadWorkerSweep({
      pool: counting,
      logger: silentLogger,
      createCatchUp,
      deliveriesTopic: 'deliveries',
      everyMs: 20,
      leaseMs,
      onFreed: () => undefined,
    });
    sweeps.push(sweep);
    sweep.start();
    // It has none before a lease is over.
    if (leaseMs === 0) await questionsAsked(1);
  }

  function createCatchUp(): CatchUp {
    questions += 1;
    const left = [...unread];
    return Object.assign(() => Promise.resolve(true), {
      unread: () => left,
      stillMs: () => 0,
      isUnread: (_topic: string, key: string) => left.some((id) => key.includes(id)),
    });
  }

  async function questionsAsked(more: number): Promise<void> {
    const enough = questions + more;
    await eventually(() => expect(questions).to.be.at.least(enough));
  }

  async function claimed(): Promise<string[]> {
    const { rows } = await database.pool.query<{ id: string }>(
      'select webhook_event_id as id from delivery where claimed_by is not null order by 1',
    );
    return rows.map(({ id }) => id);
  }

  async function passedOn(): Promise<void> {
    await eventually(async () => {
      const { rows } = await database.pool.query('select takes_room from worker');
      expect(rows).to.deep.equal([{ takes_room: false }]);
    });
  }

  /** And nobody is in flight, nor left to be looked for. */
  async function freed(): Promise<void> {
    await eventually(async () => {
      const { rows } = await database.pool.query(
        `select in_flight, (select count(*)::int from delivery where claimed_by is not null) as claims,
           (select count(*)::int from worker) as workers from endpoint`,
      );
      expect(rows).to.deep.equal([{ in_flight: 0, claims: 0, workers: 0 }]);
    });
  }
});

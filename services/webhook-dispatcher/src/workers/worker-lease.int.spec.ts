import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import { createDatabaseClock } from './database-clock.ts';
import { createDispatchDatabase, silentLogger } from '../testing/database.ts';
import { createWorkerLease, type WorkerLease } from './worker-lease.ts';

describe('worker lease', () => {
  let database: Awaited<ReturnType<typeof createDispatchDatabase>>;
  let lease: WorkerLease;
  let heartbeats: number;
  let registered: (string | undefined)[];

  before(async () => {
    database = await createDispatchDatabase();
  });

  afterEach(() => lease.stop({ nothingClaimed: true }));
  after(() => database.drop());

  function start(settings: { leaseMs: number; timeoutMs: number }): void {
    const clock = createDatabaseClock();
    heartbeats = 0;
    registered = [];
    lease = createWorkerLease({
      pool: database.pool,
      logger: silentLogger,
      clock: {
        ...clock,
        observe(...reading) {
          heartbeats += 1;
          clock.observe(...reading);
        },
      },
      name: 'test',
      ...settings,
      onRegistered: () => registered.push(lease.workerId()),
    });
    lease.start();
  }

  it('lets exchanges start between heartbeats too, when they may take most of it', async () => {
    start({ leaseMs: patiently(10_000), timeoutMs: patiently(9_000) });
    await eventually(() => expect(lease.workerId()).to.be.a('string'));
    await eventually(() => {
      if (!lease.mayStart(lease.workerId()!)) heartbeats = -Infinity;
      expect(heartbeats).to.satisfy((n: number) => n === -Infinity || n >= 10);
    });
    expect(heartbeats).to.be.at.least(10);
  });

  it('goes on as another worker when another server has taken over', async () => {
    start({ leaseMs: patiently(3_000), timeoutMs: patiently(1_000) });
    await eventually(() => expect(registered).to.have.length(1));
    await database.pool.query(`update worker set timeline = 'FFFFFFFF'`);
    await eventually(() => expect(registered).to.have.length(2));
    expect(lease.workerId()).to.equal(registered[1]);
    expect(registered[1]).not.to.equal(registered[0]);
    expect(lease.mayStart(registered[0]!)).to.equal(false);
  });

  it('goes on as another worker when its row comes out of a backup', async () => {
    start({ leaseMs: 60_000, timeoutMs: 59_000 });
    await eventually(() => expect(registered).to.have.length(1));
    await database.pool.query(`begin;
      alter table worker rename to lost;
      create table worker (like lost including all);
      insert into worker select * from lost;
      commit`);
    await eventually(() => expect(registered).to.have.length(2));
    expect(lease.mayStart(registered[0]!)).to.equal(false);
  });
});

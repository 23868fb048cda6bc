import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { copyDatabase } from '@tributary/testkit/fall-back';
import { getServers } from '@tributary/testkit/servers';
import { expect } from 'chai';
import { connectionOf } from './connections.ts';
import { expectSameState, readState, type State } from './state.ts';
import { expectAllReported, liveSome, type Reported } from './report-lives.ts';
import { createWorld, type World } from './world.ts';

/**
 * A standby that lags takes over from Postgres under processor-events that runs on: the database is
 * older than the log, and Stripe tells nothing new that would make anybody look (decision 25).
 */
describe('processor-events whose database falls back', function () {
  this.timeout(240_000);
  const connections = [
    connectionOf('t-old', { shape: 'old', taxPolicy: 'net' }),
    connectionOf('t-new', { shape: 'new', taxPolicy: 'gross' }),
  ];
  const reported: Reported[] = [];
  let database: TestDatabase;
  let world: World;
  let stateBefore: State;
  let stateAfter: State;
  let recordsBefore: number;
  let itemsOfStandby: number;

  before(async () => {
    database = await createDatabase();
    const { kafkaBrokers } = await getServers();
    world = await createWorld({
      connections,
      servers: { kafkaBrokers, postgresUrl: database.url },
    });
    await (await world.start()).ready();
    await tell(3, 1);
    const standby = await copyDatabase(database.url);
    itemsOfStandby = await countItems();
    // What the standby never hears of.
    await tell(3, 101);
    stateBefore = await readState(world, connections);
    recordsBefore = await world.countOf('processor');
    world.stripe.forgetRequests();
    await standby.takeOver();
    await world.recovered();
    stateAfter = await readState(world, connections);
  });
  after(async () => {
    await world?.stop();
    await database?.drop();
  });

  async function tell(lives: number, from: number): Promise<void> {
    const some = connections.map((connection) => liveSome(world, connection, { lives, from }));
    reported.push(...some);
    await Promise.all(
      some.map(({ connection, events }) => world.deliver(connection, events, { atOnce: 4 })),
    );
    await expectAllReported(world, reported);
    await world.atRest();
  }

  async function countItems(): Promise<number> {
    return eventually(async () => {
      const { rows } = await world.db.query<{ count: number }>(
        'select count(*)::int as count from processor.item',
      );
      return rows[0]!.count;
    });
  }

  it('has what it had, without anything new', () => {
    expect(stateBefore.items.length).to.be.greaterThan(itemsOfStandby);
    expectSameState(stateAfter, stateBefore);
  });

  it('asks Stripe nothing that was answered', () => {
    expect(world.stripe.requests().map(({ method, path }) => `${method} ${path}`)).to.deep.equal(
      [],
    );
  });

  it('writes nothing to the topic that it is folded from', async () => {
    expect(await world.countOf('processor')).to.equal(recordsBefore);
  });

  it('is the same process, and goes on', async () => {
    expect(world.processes.map((one) => one.isRunning())).to.deep.equal([true]);
    await tell(1, 201);
  });

  it('recovered by itself: all ready, nothing unread, nothing unsent', () => world.recovered());
});

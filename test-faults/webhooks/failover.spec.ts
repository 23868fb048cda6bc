import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { copyDatabase } from '@tributary/testkit/fall-back';
import { patience } from '@tributary/testkit/patience';
import { getServers } from '@tributary/testkit/servers';
import { expect } from 'chai';
import { byEvent, expectAccepted } from './arrivals.ts';
import { slowly } from './receiver.ts';
import { countStates, expectNothingHeld, readEverything, untilDelivered } from './tables.ts';
import { prepareTogether } from './together.ts';
import { createWorld, type World } from './world.ts';

const tenants = Array.from({ length: 6 }, (_, n) => `t${n + 1}`);

/**
 * A standby that lags takes over from Postgres under dispatchers that run on: the database is some
 * minutes older than the log, and nothing new is granted that would make anybody look (decision
 * 25).
 */
describe('webhook dispatchers whose database falls back', function () {
  this.timeout(240_000);
  let world: World;
  let database: TestDatabase;
  const ids: string[] = [];
  let refuses = false;
  let deliveredBefore: Set<string>;
  let arrivedBefore: number;
  let tables: Awaited<ReturnType<typeof readEverything>>;

  prepareTogether('rest', async () => {
    database = await createDatabase();
    const { kafkaBrokers } = await getServers();
    world = await createWorld({
      servers: { kafkaBrokers, postgresUrl: database.url },
      // Enough of them for the time in which an endpoint refuses.
      limits: { retryDelaysMs: Array<number>(Math.ceil(6 * patience)).fill(4_000) },
    });
    world.receiver.behave(slowly(20, ({ tenantId }) => (isAway(tenantId) ? 503 : 200)));
    await world.setEndpoints(tenants);
    const two = [world.start(), world.start()];
    await Promise.all(two.map((one) => one.ready()));
    await issue(20);
    await untilDelivered(world.db, ids.length, 40_000);

    const standby = await copyDatabase(database.url);
    refuses = true;
    await issue(20);
    // What the standby never hears of: 100 deliveries, and 20 that failed so far.
    await eventually(
      async () => {
        expect(await countStates(world.db)).to.deep.equal({ delivered: 220, pending: 20 });
      },
      { deadlineMs: 40_000 },
    );
    await eventually(async () => expect((await deliveredFacts()).size).to.equal(220));
    deliveredBefore = await deliveredFacts();
    arrivedBefore = world.receiver.arrivals.length;
    await standby.takeOver();
    refuses = false;
    await untilDelivered(world.db, ids.length, 60_000);
    tables = await readEverything(world.db);
  });

  after(async () => {
    await world?.stop();
    await database?.drop();
  });

  const isAway = (tenantId: string) => refuses && tenantId === tenants[0];

  async function issue(count: number): Promise<void> {
    for (const tenantId of tenants) ids.push(...(await world.issue(tenantId, count)));
  }

  async function deliveredFacts(): Promise<Set<string>> {
    const facts = await world.facts();
    return new Set(
      facts
        .filter((fact) => fact.type === 'attempted' && fact.outcome === 'delivered')
        .map((fact) => fact.webhookEventId),
    );
  }

  it('send what is left, once, without anything new', () => {
    expectAccepted(world.receiver.arrivals, ids);
  });

  it('send nothing again that a fact calls delivered', () => {
    const later = world.receiver.arrivals.slice(arrivedBefore).map(({ eventId }) => eventId);
    expect(later.filter((id) => deliveredBefore.has(id))).to.deep.equal([]);
  });

  it('go on with the attempts that they had made', () => {
    const made = byEvent(world.receiver.arrivals);
    for (const row of tables.deliveries) {
      const id = row['webhook_event_id'] as string;
      expect(row['attempts'], id).to.equal(made.get(id)!.at(-1)!.attempt);
    }
  });

  it('recovered by themselves: all ready, nothing unread, nothing unsent', () => world.recovered());

  it('are ready again, hold nothing, and are the same processes', async () => {
    await Promise.all(world.processes.map((one) => one.ready()));
    await eventually(() => expectNothingHeld(world.db));
    expect(world.processes.map((one) => one.isRunning())).to.deep.equal([true, true]);
    const [fresh] = await world.issue(tenants[1]!, 1);
    await eventually(() => expect(byEvent(world.receiver.arrivals).has(fresh!)).to.equal(true));
  });
});

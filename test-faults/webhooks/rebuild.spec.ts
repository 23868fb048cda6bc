import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { byEvent, expectAccepted, without } from './arrivals.ts';
import type { Dispatcher } from './dispatcher.ts';
import { slowly } from './receiver.ts';
import { countStates, expectNothingHeld, readEverything } from './tables.ts';
import { prepareTogether } from './together.ts';
import { createWorld, type World } from './world.ts';

const tenants = Array.from({ length: 8 }, (_, n) => `t${n + 1}`);

/**
 * The schema of the dispatcher is dropped: once in the middle of its work, with all processes
 * started anew, and once after it, under processes that run on. What it held comes back from the
 * log, and what a fact calls delivered is never sent again (design 4, promise 10).
 */
describe('a webhook dispatcher whose schema is dropped', function () {
  this.timeout(240_000);
  let world: World;
  const ids: string[] = [];
  /** Delivered by a fact when everything was down, in the middle of the work. */
  let deliveredBefore: Set<string>;
  let arrivedBefore: number;
  let tables: Awaited<ReturnType<typeof readEverything>>;
  let arrivedAtEnd: number;

  prepareTogether('rest', async () => {
    world = await createWorld({
      limits: { maxInFlight: 10, retryDelaysMs: [100, 200, 3_000_000], horizonMs: 24 * 3_600_000 },
    });
    world.receiver.behave(slowly(50, ({ eventId, nth }) => (nth < refusals(eventId) ? 500 : 200)));
    await world.setEndpoints(tenants);
    await world.setEndpoints(['none-yet'], { status: 'disabled', reason: 'moved' });
    await startTwo();
    for (const tenantId of tenants) ids.push(...(await world.issue(tenantId, 40)));
    await world.issue('none-yet', 5);
    await eventually(() => expect(world.receiver.arrivals.length).to.be.greaterThan(100), {
      everyMs: 5,
    });
    await dropSchema();
    await stopAll();
    deliveredBefore = await deliveredFacts();
    arrivedBefore = world.receiver.arrivals.length;
    await startTwo();
    await untilAtRest();

    tables = await readEverything(world.db);
    arrivedAtEnd = world.receiver.arrivals.length;
    // These two run on; whoever starts next makes the tables anew under them.
    await dropSchema();
    await world.start().ready();
  });

  after(() => world?.stop());

  /** Among those that work with it, so it may meet them in a deadlock. */
  async function dropSchema(): Promise<void> {
    await eventually(() => world.db.query('drop schema dispatch cascade'));
  }

  async function startTwo(): Promise<void> {
    const two = [world.start(), world.start()];
    await Promise.all(two.map((one) => one.ready()));
  }

  /** As an operator would: politely, and not for ever. */
  async function stopAll(): Promise<void> {
    const running = world.processes.filter((one) => one.isRunning());
    await Promise.all(running.map(stopOne));
  }

  async function stopOne(one: Dispatcher): Promise<void> {
    one.signal('SIGTERM');
    const patience = setTimeout(() => one.signal('SIGKILL'), 3_000);
    await one.exited;
    clearTimeout(patience);
  }

  async function deliveredFacts(): Promise<Set<string>> {
    const facts = await world.facts();
    return new Set(
      facts
        .filter((fact) => fact.type === 'attempted' && fact.outcome === 'delivered')
        .map((fact) => fact.webhookEventId),
    );
  }

  const waitingLong = () => ids.filter((id) => refusals(id) > 2);

  /** All but those that wait for nearly an hour, and those without an endpoint. */
  async function untilAtRest(): Promise<void> {
    const pending = waitingLong().length;
    await eventually(
      async () => {
        expect(await countStates(world.db)).to.deep.equal({
          ...{ delivered: ids.length - pending, pending: pending + 5 },
        });
        const { rows } = await world.db.query<{ soon: number }>(
          `select count(*)::int as soon from delivery join endpoint using (tenant_id)
           where state = 'pending' and status = 'active' and due_at < now() + interval '1 minute'`,
        );
        expect(rows[0]!.soon).to.equal(0);
        await expectNothingHeld(world.db);
      },
      { deadlineMs: 40_000 },
    );
  }

  it('sends nothing again that a fact calls delivered, dropped in the middle of the work', () => {
    expect(deliveredBefore.size).to.be.within(1, ids.length - 1);
    const later = world.receiver.arrivals.slice(arrivedBefore).map(({ eventId }) => eventId);
    expect(later.filter((id) => deliveredBefore.has(id))).to.deep.equal([]);
  });

  it('delivers everything all the same, and goes on with the attempts that it had made', () => {
    const done = new Set(without(ids, new Set(waitingLong())));
    expectAccepted(
      world.receiver.arrivals.filter(({ eventId }) => done.has(eventId)),
      [...done],
    );
    const last = byEvent(world.receiver.arrivals);
    for (const row of tables.deliveries.filter(({ state }) => state === 'pending')) {
      const id = row['webhook_event_id'] as string;
      if (row['tenant_id'] === 'none-yet') continue;
      expect(row['step'], id).to.equal(3);
      expect(row['attempts'], id).to.equal(last.get(id)!.at(-1)!.attempt);
    }
  });

  it('has the same tables from the log alone, answers left out', async () => {
    expect(tables.deliveries).to.have.length(ids.length + 5);
    await eventually(async () => {
      const rebuilt = await readEverything(world.db);
      expect(rebuilt.deliveries).to.deep.equal(tables.deliveries);
      expect(rebuilt.attempts).to.deep.equal(tables.attempts);
      expect(rebuilt.endpoints).to.deep.equal(tables.endpoints);
    });
  });

  it('sends nothing from the tables that it made anew', async () => {
    const [fresh] = await world.issue(tenants[0]!, 1);
    await eventually(() => expect(byEvent(world.receiver.arrivals).has(fresh!)).to.equal(true));
    const later = world.receiver.arrivals.slice(arrivedAtEnd).map(({ eventId }) => eventId);
    expect(new Set(later)).to.deep.equal(new Set([fresh]));
  });

  it('recovered by itself: all ready, nothing unread, nothing unsent', () => world.recovered());
});

/** By its id: one in 16 is refused once, one twice, one for ever. */
function refusals(eventId: string): number {
  return [1, 2, Infinity][parseInt(eventId[0]!, 16)] ?? 0;
}

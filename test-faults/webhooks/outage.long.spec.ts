import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tributary/testkit/eventually';
import { isLong } from '@tributary/testkit/long-run';
import { startOwned } from '@tributary/testkit/owned-servers';
import type { TestServer } from '@tributary/testkit/test-server';
import { expect } from 'chai';
import { expectAccepted, sentTwice } from './arrivals.ts';
import { slowly } from './receiver.ts';
import { expectNothingHeld, untilDelivered } from './tables.ts';
import { createWorld, type World } from './world.ts';

/**
 * Longer than a lease, so that every claim of before has ended; really a minute in the long run.
 */
const hungMs = isLong ? 60_000 : 8_000;
/** A server that is started again is away for some seconds in any case. */
const deadMs = isLong ? 60_000 : 0;
const tenants = Array.from({ length: 10 }, (_, n) => `t${n + 1}`);

/**
 * Postgres and Kafka go away in the middle of the work, hung and dead, and come back. As a result
 * is on the log before it is in a table, and nothing is claimed without the log, not even a lease
 * that ended is a reason to send twice while only one of the two is away.
 */
describe('webhook dispatchers without Postgres or Kafka', function () {
  this.timeout(isLong ? 600_000 : 240_000);
  let kafka: TestServer;
  let postgres: TestServer;
  let world: World;
  const ids: string[] = [];

  before(async () => {
    [kafka, postgres] = await Promise.all([startOwned('kafka'), startOwned('postgres')]);
    world = await createWorld({
      // A receiver in this process, which is busy as well, must have answered by then.
      limits: { maxInFlight: 12, timeoutMs: 4_000, leaseMs: 6_000 },
      servers: { kafkaBrokers: kafka.address, postgresUrl: postgres.address },
    });
    world.receiver.behave(slowly(100, () => 200));
    await world.setEndpoints(tenants);
    const two = [world.start(), world.start()];
    await Promise.all(two.map((one) => one.ready()));
  });

  after(async () => {
    await world?.stop();
    await Promise.all([kafka?.stop(), postgres?.stop()]);
  });

  async function issue(count: number): Promise<void> {
    for (const tenantId of tenants) ids.push(...(await world.issue(tenantId, count)));
  }

  /** In the middle of the work, while exchanges are under way. */
  async function inTheMiddle(happen: () => Promise<void>): Promise<void> {
    const before = world.receiver.arrivals.length;
    await issue(30);
    await eventually(() => expect(world.receiver.arrivals.length - before).to.be.greaterThan(60), {
      deadlineMs: 30_000,
      everyMs: 5,
    });
    await happen();
  }

  async function expectResumed(): Promise<void> {
    await untilDelivered(world.db, ids.length, 60_000);
    expectAccepted(world.receiver.arrivals, ids);
    expect([...sentTwice(world.receiver.arrivals)], 'sent twice').to.deep.equal([]);
    await eventually(() => expectNothingHeld(world.db));
    await expectQuietAndReady();
  }

  async function expectQuietAndReady(): Promise<void> {
    await Promise.all(world.processes.map((one) => one.ready(30_000)));
    let before = complaints();
    await eventually(
      async () => {
        await delay(1_000);
        const [earlier, now] = [before, complaints()];
        before = now;
        expect(now - earlier, 'complaints within a second').to.equal(0);
      },
      { deadlineMs: 30_000 },
    );
  }

  const complaints = () =>
    world.processes.reduce((sum, one) => sum + one.hasReported('warn', 'error').length, 0);

  async function away(
    awayMs: number,
    lose: () => Promise<void>,
    bring: () => Promise<void>,
  ): Promise<void> {
    const before = complaints();
    const startedAt = performance.now();
    await inTheMiddle(async () => {
      await lose();
      // Time itself is what is tested here: leases end by it.
      await delay(awayMs);
      await bring();
    });
    await expectResumed();
    // A few parts of two processes, each of which tries again with pauses between.
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(complaints() - before).to.be.below(2 * 25 * seconds);
  }

  it('go on when a hung Postgres answers again after their leases have ended', () =>
    away(
      hungMs,
      () => postgres.pause(),
      () => postgres.resume(),
    ));

  it('go on when a dead Postgres is started again', () =>
    away(
      deadMs,
      () => postgres.kill(),
      () => postgres.restart(),
    ));

  it('go on when a hung Kafka answers again; claims they hold meanwhile stay theirs', () =>
    away(
      hungMs,
      () => kafka.pause(),
      () => kafka.resume(),
    ));

  // A stack whose Kafka is killed is in kill.spec.ts.
  if (isLong) {
    it('go on when a dead Kafka is started again', () =>
      away(
        deadMs,
        () => kafka.kill(),
        () => kafka.restart(),
      ));
  }

  it('are the same processes all the time', () => {
    expect(world.processes.map((one) => one.isRunning())).to.deep.equal([true, true]);
  });

  it('recovered by itself: all ready, nothing unread, nothing unsent', () => world.recovered());
});

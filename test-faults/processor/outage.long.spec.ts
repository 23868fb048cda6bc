import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tributary/testkit/eventually';
import { isLong } from '@tributary/testkit/long-run';
import { startOwned } from '@tributary/testkit/owned-servers';
import { deliverEvent } from '@tributary/testkit/stripe/deliver-events';
import type { TestServer } from '@tributary/testkit/test-server';
import { expect } from 'chai';
import { connectionOf } from './connections.ts';
import { expectAllReported, liveSome, type Reported } from './report-lives.ts';
import { createWorld, type World } from './world.ts';

const awayMs = isLong ? 60_000 : 3_000;

/**
 * Stripe, Kafka and Postgres go away in the middle of the work and come back. A webhook is answered
 * with 2xx when the log has it and only then; the rest is done when it can be.
 */
describe('processor-events without Stripe, Postgres or Kafka', function () {
  this.timeout(isLong ? 600_000 : 240_000);
  const connection = connectionOf('t1', { shape: 'old', taxPolicy: 'net' });
  const reported: Reported[] = [];
  let kafka: TestServer;
  let postgres: TestServer;
  let world: World;

  before(async () => {
    [kafka, postgres] = await Promise.all([startOwned('kafka'), startOwned('postgres')]);
    world = await createWorld({
      connections: [connection],
      servers: { kafkaBrokers: kafka.address, postgresUrl: postgres.address },
    });
    await (await world.start()).ready();
  });
  after(async () => {
    await world?.stop();
    await Promise.all([kafka?.stop(), postgres?.stop()]);
  });

  /** Further lives, of which Stripe goes on telling until all of it is answered. */
  function tell(): { reported: Reported; delivered: Promise<void> } {
    const some = liveSome(world, connection, { lives: 2, from: 100 * (reported.length + 1) });
    reported.push(some);
    const delivered = world.deliver(connection, some.events, { atOnce: 4, deadlineMs: 150_000 });
    return { reported: some, delivered };
  }

  async function isReported(answered: Promise<void>): Promise<void> {
    await answered;
    await expectAllReported(world, reported);
  }

  it('answers while Stripe is away, and asks it when it is back', async () => {
    await world.stripe.goAway();
    const { delivered } = tell();
    await delivered;
    expect((await world.facts()).size).to.equal(0);
    await world.stripe.comeBack();
    await isReported(delivered);
  });

  it('drops nothing to answers of Stripe that are none', async () => {
    const faults = [
      world.stripe.fail({ answer: 'rate-limit', retryAfterSeconds: 1, times: 1 }),
      world.stripe.fail({ answer: 'server-error', status: 500, times: 1 }),
      world.stripe.fail({ answer: 'cut', times: 1 }),
      world.stripe.fail({ answer: 'half', times: 1 }),
    ];
    const { delivered } = tell();
    await isReported(delivered);
    expect(faults.map((fault) => fault.hits() > 0)).to.deep.equal(faults.map(() => true));
  });

  it('asks again after a refused key was put right, and says so meanwhile', async () => {
    world.stripe.setApiKeys(['another']);
    const { reported: some, delivered } = tell();
    await delivered;
    const failing = await eventually(async () => {
      const status = await world.ask<{ connections: { failing: { detail: string } | null }[] }>(
        'tenants/t1/connections/status',
      );
      expect(status.connections[0]?.failing).to.not.equal(null);
      return status.connections[0]!.failing!;
    });
    expect(failing.detail).to.match(/key/i);
    expect(failing.detail).to.not.include(world.stripe.apiKey);
    world.stripe.setApiKeys([world.stripe.apiKey]);
    for (let more = true; more;) {
      ({ more } = await world.ask<{ more: boolean }>('tenants/t1/items/retry', { limit: 100 }));
    }
    await isReported(delivered);
    expect(some.lives).to.not.be.empty;
  });

  it('answers nothing while Kafka hangs, and loses nothing', async () => {
    await kafka.pause();
    const { reported: some, delivered } = tell();
    const refused = deliverEvent(world.urlOf(connection), some.events[0]!, {
      ...{ secrets: [connection.signingSecret], shape: connection.shape, timeoutMs: 60_000 },
    });
    // Time itself is what is tested: the append has a deadline.
    await delay(awayMs);
    const answer = await refused;
    expect(answer.status, answer.body).to.equal(503);
    expect(answer.headers.get('retry-after')).to.match(/^[0-9]+$/);
    await kafka.resume();
    await isReported(delivered);
  });

  it('answers while Postgres hangs, and goes on when it is back', async () => {
    await postgres.pause();
    const { delivered } = tell();
    await delivered;
    await delay(awayMs);
    await postgres.resume();
    await isReported(delivered);
  });

  // What is dead is away longer than what hangs: a server takes its time to start.
  if (isLong) {
    it('goes on when a dead Postgres is started again', async () => {
      const { delivered } = tell();
      await delay(200);
      await postgres.kill();
      await delivered;
      await postgres.restart();
      await isReported(delivered);
    });

    it('goes on when a dead Kafka is started again', async () => {
      const { delivered } = tell();
      await delay(200);
      await kafka.kill();
      await delay(awayMs);
      await kafka.restart();
      await isReported(delivered);
    });
  }

  it('is the same process all the time', () => {
    expect(world.processes.map((one) => one.isRunning())).to.deep.equal([true]);
  });

  it('recovered by itself: all ready, nothing unread, nothing unsent', () => world.recovered());
});

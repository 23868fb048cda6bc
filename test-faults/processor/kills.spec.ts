import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { connectionOf } from './connections.ts';
import { holdRemovals } from './hold-removals.ts';
import { type TestHook, testHooks } from './test-hooks.ts';
import { expectAllReported, liveSome, type Reported } from './report-lives.ts';
import { createWorld, type Processor, type World } from './world.ts';

/**
 * processor-events is killed at every step from the webhook to the fact, early and in full work,
 * and another takes its place. Stripe repeats what was not answered; the rest is on the log.
 */
type Ended = { world: World; reported: Reported[]; kills: number };

describe('processor-events that is killed', function () {
  this.timeout(240_000);
  const ended = new Map<string, Promise<Ended>>();

  // Most of it is waiting until a group notices a death: all wait at the same time.
  before(() => {
    for (const hook of testHooks) start(hook, (world) => killTwice(world, hook));
    start('sent', killAfterSending);
  });
  after(() => Promise.all([...ended.values()].map((one) => one.then(({ world }) => world.stop()))));

  function start(name: string, run: (world: World) => Promise<Omit<Ended, 'world'>>): void {
    const ending = createWorld({
      connections: [connection],
      variables: { TEST_SETTINGS: JSON.stringify({ fetches: { leaseMs: 3_000, pollMs: 200 } }) },
    }).then(async (world) => {
      try {
        return { world, ...(await run(world)) };
      } catch (error) {
        await world.stop();
        throw error;
      }
    });
    // It is for the test of its own to fail by it.
    ending.catch(() => undefined);
    ended.set(name, ending);
  }

  async function killTwice(world: World, hook: TestHook): Promise<Omit<Ended, 'world'>> {
    const first = await world.start();
    await first.ready();
    first.order({ hook, times: 1, act: 'SIGKILL' });
    const early = tell(world, 0);
    await expectKilled(first);
    const second = await world.start();
    await second.ready();
    second.order({ hook, times: 3, act: 'SIGKILL' });
    const late = tell(world, 100);
    await expectKilled(second);
    await world.start();
    await Promise.all([early.delivered, late.delivered]);
    return { reported: [early.reported, late.reported], kills: 2 };
  }

  function tell(world: World, from: number): { reported: Reported; delivered: Promise<void> } {
    const reported = liveSome(world, connection, { lives: 3, from });
    const delivered = world.deliver(connection, reported.events, {
      atOnce: 2,
      deadlineMs: 120_000,
    });
    // It is waited for later.
    delivered.catch(() => undefined);
    return { reported, delivered };
  }

  /** The facts are on the log, and in the outbox still. */
  async function killAfterSending(world: World): Promise<Omit<Ended, 'world'>> {
    const first = await world.start();
    await first.ready();
    const hold = await holdRemovals(world.db);
    const { reported, delivered } = tell(world, 0);
    await eventually(async () => expect(await world.countOf('events')).to.be.greaterThan(0), {
      deadlineMs: 60_000,
    });
    const sent = await world.countOf('events');
    try {
      await first.kill();
    } finally {
      await hold.release();
    }
    await world.start();
    await delivered;
    const again = async () => {
      const copies = (await world.countOf('events')) - (await world.facts()).size;
      expect(copies, `copies of ${sent}`).to.be.greaterThan(0);
    };
    await eventually(again, { deadlineMs: 60_000, everyMs: 300 });
    return { reported: [reported], kills: 1 };
  }

  async function expectKilled(process: Processor): Promise<void> {
    await eventually(() => expect(process.isRunning(), process.name).to.equal(false), {
      deadlineMs: 60_000,
    });
    expect((await process.exited).signal, process.name).to.equal('SIGKILL');
  }

  const titles: Record<TestHook | 'sent', string> = {
    received: 'before a webhook is on the log',
    kept: 'when a webhook is on the log and not answered',
    applied: 'before the commit of what it folded',
    fetched: 'when Stripe answered and the log does not know',
    appended: 'when the log knows the answer and its need is still there',
    sent: 'when facts are on the log and in the outbox still',
  };
  for (const [hook, title] of Object.entries(titles)) {
    it(`loses nothing and doubles nothing ${title}`, async () => {
      const { world, reported, kills } = await ended.get(hook)!;
      await expectAllReported(world, reported);
      await world.recovered();
      expect(world.processes.filter((one) => !one.isRunning())).to.have.length(kills);
    });
  }
});

const connection = connectionOf('t1', { taxPolicy: 'net' });

import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import { expectAccepted, sentTwice } from './arrivals.ts';
import type { Dispatcher } from './dispatcher.ts';
import { expectNothingHeld, untilDelivered } from './tables.ts';
import { prepareTogether } from './together.ts';
import { createWorld, type World } from './world.ts';

/** In which another process starts, also on a slow machine. */
const timeoutMs = Math.max(30_000, patiently(7_500));

/**
 * A dispatcher is told to stop while its requests hang and it has just claimed more. A lease takes
 * far longer than this test: what comes back at once was given back.
 */
describe('a webhook dispatcher that is stopped', function () {
  this.timeout(240_000);
  let world: World;
  let stopped: Dispatcher;
  let other: Dispatcher;
  let hanging: string[];
  const claimed: string[] = [];
  let hungMeanwhile: boolean;

  prepareTogether('rest', async () => {
    world = await createWorld({
      limits: { maxInFlight: 60, perEndpoint: 30, timeoutMs, leaseMs: 4 * timeoutMs },
    });
    world.receiver.behaveFor('hanging', ({ nth }) => (nth === 0 ? 'hang' : 200));
    await world.setEndpoints(['hanging', 'claimed']);
    stopped = world.start();
    await stopped.ready();
    hanging = await world.issue('hanging', 30);
    await eventually(() => expect(world.receiver.openNow('hanging')).to.equal(30));
    other = world.start();
    await other.ready();

    // Until it is the one that claims, and waits inside of its claim.
    stopped.order({ hook: 'claimed', times: 1, act: 'SIGTERM' });
    for (let tries = 0; stopped.reached.length === 0; tries++) {
      expect(tries, 'tries').to.be.below(50);
      claimed.push(...(await world.issue('claimed', 5)));
      await eventually(() => {
        if (stopped.reached.length > 0) return;
        expect(arrivalsAt('claimed')).to.have.length(claimed.length);
      });
    }
    expect(arrivalsAt('claimed').length).to.be.below(claimed.length);
    stopped.go();
    await eventually(() => expect(arrivalsAt('claimed')).to.have.length(claimed.length), {
      deadlineMs: 4_000,
    });
    hungMeanwhile = stopped.isRunning() && world.receiver.openNow('hanging') === 30;
  });

  after(() => world?.stop());

  const arrivalsAt = (tenantId: string) =>
    world.receiver.arrivals.filter((arrival) => arrival.tenantId === tenantId);

  it('gives back at once what it had claimed and not sent, and another sends it', () => {
    expect(hungMeanwhile, 'its other requests hung meanwhile').to.equal(true);
    expectAccepted(arrivalsAt('claimed'), claimed);
    expect(arrivalsAt('claimed').map(({ attempt }) => attempt)).to.deep.equal(claimed.map(() => 1));
  });

  it('ends by itself when what hangs has timed out', async () => {
    const exit = await stopped.exited;
    expect(exit).to.deep.equal({ code: 0, signal: null });
  });

  it('has written the results of what hung, which is tried again and delivered', async () => {
    await untilDelivered(world.db, hanging.length + claimed.length, 20_000);
    expect([...sentTwice(world.receiver.arrivals)]).to.deep.equal([]);
    expectAccepted(world.receiver.arrivals, [...hanging, ...claimed]);
    await eventually(() => expectNothingHeld(world.db));
  });

  it('leaves no worker behind', async () => {
    await eventually(async () => {
      const { rows } = await world.db.query<{ name: string }>('select name from worker');
      expect(rows.map(({ name }) => name.split('/').at(-1))).to.deep.equal([String(other.pid)]);
    });
  });

  it('recovered by itself: all ready, nothing unread, nothing unsent', () => world.recovered());
});

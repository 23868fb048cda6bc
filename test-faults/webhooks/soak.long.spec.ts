import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tributary/testkit/eventually';
import { testSeed } from '@tributary/testkit/test-seed';
import { expect } from 'chai';
import { createRandom } from '../chain/random.ts';
import { expectAccepted } from './arrivals.ts';
import type { Dispatcher } from './dispatcher.ts';
import { testHooks } from './orders.ts';
import { slowly } from './receiver.ts';
import { expectNothingHeld, untilDelivered } from './tables.ts';
import { createWorld, type World } from './world.ts';

/**
 * Only in the long run: four dispatchers that are killed at random moments, fall asleep for longer
 * than a lease and are stopped, again and again, while deliveries come in and a quarter of all
 * attempts fails.
 */
const tenants = Array.from({ length: 10 }, (_, n) => `t${n + 1}`);
const rounds = 60;

describe('webhook dispatchers to which something happens all the time', function () {
  this.timeout(600_000);
  let world: World;
  const ids: string[] = [];
  const random = createRandom(testSeed);
  const asleep = new Set<Dispatcher>();

  before(async () => {
    world = await createWorld();
    const { receiver } = world;
    receiver.behave(slowly(60, ({ nth }) => (nth < 3 && random.happens(0.25) ? 500 : 200)));
    await world.setEndpoints(tenants);
    await Promise.all(staff().map((one) => one.ready()));
    for (let round = 0; round < rounds; round++) {
      for (const tenantId of tenants) ids.push(...(await world.issue(tenantId, 20)));
      happen();
      await delay(2_000);
    }
    for (const one of asleep) one.signal('SIGCONT');
    for (const one of staff()) one.disarm();
    await untilDelivered(world.db, ids.length, 180_000);
  });

  after(() => world?.stop());

  /** Those that run, filled up to four. */
  function staff(): Dispatcher[] {
    const running = world.processes.filter((one) => one.isRunning());
    while (running.length < 4) running.push(world.start());
    return running;
  }

  function happen(): void {
    const [one] = random.shuffle(staff());
    if (asleep.delete(one!)) one!.signal('SIGCONT');
    else if (random.happens(0.3)) {
      asleep.add(one!);
      one!.signal('SIGSTOP');
    } else if (random.happens(0.2)) one!.signal('SIGTERM');
    else {
      const [hook] = random.shuffle(testHooks);
      one!.order({ hook: hook!, times: 1 + random.below(10), act: 'SIGKILL' });
    }
  }

  it('deliver everything, with the same bytes each time', () => {
    expect(ids).to.have.length(rounds * tenants.length * 20);
    expectAccepted(world.receiver.arrivals, ids);
  });

  it('recovered by themselves: all ready, nothing unread, nothing unsent', () => world.recovered());

  it('hold nothing in the end', async () => {
    await eventually(() => expectNothingHeld(world.db), { deadlineMs: 30_000 });
  });
});

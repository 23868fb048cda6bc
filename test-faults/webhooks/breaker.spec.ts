import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { expectAccepted, sentTwice } from './arrivals.ts';
import { slowly } from './receiver.ts';
import { countStates, expectNothingHeld } from './tables.ts';
import { prepareTogether } from './together.ts';
import { createWorld, type World } from './world.ts';

const waiting = 100;
const maxOpenMs = 400;

/**
 * Three dispatchers and an endpoint that is dead for far more probes than the schedule has places,
 * beside one that is well.
 */
describe('a dead webhook endpoint, shared by three dispatchers', function () {
  this.timeout(240_000);
  let world: World;
  let ids: string[];
  let stepsAtOpening: number;
  let arrivedAtOpening: number;
  let isDead = true;

  prepareTogether('takeover', async () => {
    world = await createWorld({
      limits: { retryDelaysMs: [50, 100, 200], breakerOpenMs: 50, breakerMaxOpenMs: maxOpenMs },
    });
    world.receiver.behave(slowly(30, () => (isDead ? 503 : 200)));
    world.receiver.behaveFor('well', () => 200);
    await world.setEndpoints(['dead', 'well']);
    const three = [world.start(), world.start(), world.start()];
    await Promise.all(three.map((one) => one.ready()));
    ids = await world.issue('dead', waiting);
    // Open, and what had been sent before it opened is over.
    await eventually(
      async () => {
        expect((await breaker()).probe_at).not.to.equal(null);
        expect((await breaker()).opened).to.be.greaterThan(1);
        // A probe at most.
        expect(await claimed()).to.be.at.most(1);
      },
      { deadlineMs: 20_000, everyMs: 20 },
    );
    stepsAtOpening = await steps();
    world.receiver.takeMostOpen('dead');
    arrivedAtOpening = world.receiver.arrivals.length;
  });

  after(() => world?.stop());

  async function breaker(): Promise<{ probe_at: Date | null; opened: number }> {
    const { rows } = await world.db.query<{ probe_at: Date | null; opened: number }>(
      `select probe_at, opened from endpoint where tenant_id = 'dead'`,
    );
    return rows[0]!;
  }

  async function claimed(): Promise<number> {
    const { rows } = await world.db.query<{ claimed: number }>(
      `select count(*)::int as claimed from delivery
       where tenant_id = 'dead' and claimed_by is not null`,
    );
    return rows[0]!.claimed;
  }

  async function steps(): Promise<number> {
    const { rows } = await world.db.query<{ steps: number }>(
      `select coalesce(sum(step), 0)::int as steps from delivery where tenant_id = 'dead'`,
    );
    return rows[0]!.steps;
  }

  const probes = () =>
    world.receiver.arrivals.slice(arrivedAtOpening).filter((a) => a.tenantId === 'dead').length;

  it('is asked by one request at a time, whichever process makes it', async () => {
    await eventually(() => expect(probes()).to.be.at.least(8), { deadlineMs: 20_000 });
    expect(world.receiver.takeMostOpen('dead')).to.equal(1);
  });

  it('takes no attempt from what waits, however many probes fail', async () => {
    expect(await steps()).to.equal(stepsAtOpening);
    expect(await countStates(world.db)).to.deep.equal({ pending: waiting });
  });

  it('does not hold up another endpoint', async () => {
    const others = await world.issue('well', 50);
    await eventually(() => {
      const arrived = world.receiver.arrivals.filter(({ tenantId }) => tenantId === 'well');
      expectAccepted(arrived, others);
    });
  });

  it('gets everything when it is back, and counts as well again', async () => {
    isDead = false;
    await eventually(
      async () => expect(await countStates(world.db)).to.deep.equal({ delivered: waiting + 50 }),
      { deadlineMs: 20_000 },
    );
    expectAccepted(
      world.receiver.arrivals.filter(({ tenantId }) => tenantId === 'dead'),
      ids,
    );
    expect([...sentTwice(world.receiver.arrivals)]).to.deep.equal([]);
    await eventually(() => expectNothingHeld(world.db));
    expect(await breaker()).to.deep.equal({ probe_at: null, opened: 0 });
  });

  it('recovered by itself: all ready, nothing unread, nothing unsent', () => world.recovered());
});

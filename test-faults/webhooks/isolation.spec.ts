import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import { expectAccepted, sentTwice } from './arrivals.ts';
import { createWorld, type World } from './world.ts';

/**
 * 200 endpoints: one hangs for as long as the test takes, with 5,000 deliveries behind it; one
 * accepts only every other request; 198 have ten deliveries each, issued after all of those.
 */
const others = Array.from({ length: 198 }, (_, n) => `other-${n + 1}`);
const perOther = 10;
const queued = 5_000;
const perEndpoint = 8;

describe('one webhook endpoint that hangs and one that flaps, of 200', function () {
  this.timeout(240_000);
  let world: World;
  const ids: string[] = [];
  let flapping: string[];

  before(async () => {
    // Fewer slots than two endpoints' share: what hangs must leave room for the rest.
    world = await createWorld({
      limits: {
        ...{ timeoutMs: patiently(60_000), leaseMs: patiently(70_000) },
        ...{ maxInFlight: 12, perEndpoint },
      },
    });
    let nth = 0;
    world.receiver.behaveFor('hanging', () => 'hang');
    world.receiver.behaveFor('flapping', () => (nth++ % 2 === 0 ? 500 : 200));
    await world.setEndpoints(['hanging', 'flapping', ...others]);
    const [first] = [world.start(), world.start()];
    await first.ready();
    await world.issue('hanging', queued);
    flapping = await world.issue('flapping', 60);
    await eventually(async () => expect(await countOf('hanging')).to.equal(queued));
    await eventually(() => expect(world.receiver.openNow('hanging')).to.equal(perEndpoint));
    for (const tenantId of others) ids.push(...(await world.issue(tenantId, perOther)));
  });

  after(() => world?.stop());

  async function countOf(tenantId: string, state = 'pending'): Promise<number> {
    const { rows } = await world.db.query<{ count: number }>(
      'select count(*)::int as count from delivery where tenant_id = $1 and state = $2',
      [tenantId, state],
    );
    return rows[0]!.count;
  }

  const arrivalsAtOthers = () =>
    world.receiver.arrivals.filter(({ tenantId }) => tenantId.startsWith('other-'));

  it('delivers everything of the other 198 while the one still hangs', async () => {
    await eventually(() => expect(arrivalsAtOthers().length).to.be.at.least(ids.length), {
      deadlineMs: 40_000,
    });
    expectAccepted(arrivalsAtOthers(), ids);
    expect([...sentTwice(arrivalsAtOthers())]).to.deep.equal([]);
    expect(world.receiver.openNow('hanging')).to.equal(perEndpoint);
    expect(await countOf('hanging')).to.equal(queued);
  });

  it('keeps no more requests open at the hanging one than its share, over both processes', () => {
    expect(world.receiver.takeMostOpen('hanging')).to.equal(perEndpoint);
    const asked = world.receiver.arrivals.filter(({ tenantId }) => tenantId === 'hanging');
    expect(asked).to.have.length(perEndpoint);
  });

  it('delivers everything of the flapping one too', async () => {
    await eventually(
      async () => expect(await countOf('flapping', 'delivered')).to.equal(flapping.length),
      { deadlineMs: 30_000 },
    );
    const arrivals = world.receiver.arrivals.filter(({ tenantId }) => tenantId === 'flapping');
    expectAccepted(arrivals, flapping);
    expect([...sentTwice(arrivals)]).to.deep.equal([]);
  });
});

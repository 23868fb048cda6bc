import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { type Generations, startGenerations } from './generations.ts';

/**
 * A generation that is built over a long history while facts go on flowing: both folds are killed
 * on the way, and again.
 */
describe('a generation whose folds are killed while it is built', function () {
  this.timeout(240_000);
  let world: Generations;
  let endFlow: () => Promise<void>;
  before(async () => {
    world = await startGenerations();
    const endHistory = world.flow(5_000);
    await eventually(() => expect(world.events.length).to.be.greaterThan(history), {
      deadlineMs: 60_000,
    });
    await endHistory();
    await world.chain.drained(120_000, 1);
    endFlow = world.flow(20);
  });
  after(async () => {
    await endFlow?.();
    await world?.stop();
  });

  it('goes on by itself, reads codes first, and comes to the same', async () => {
    const { attribution, rewards } = world.chain;
    await world.build(2);
    for (const [decided, victim] of [
      [1, attribution.replicas[0]!],
      [1_000, rewards.replicas[0]!],
      [2_000, attribution.replicas[0]!],
    ] as const) {
      await eventually(async () => expect(await decidedBy(2)).to.be.at.least(decided), {
        ...{ deadlineMs: 60_000, everyMs: 5 },
      });
      await victim.kill('SIGKILL');
      await victim.restart();
    }
    await endFlow();
    await world.evaluate(1, [2]);
    // A purchase is decided again when its refund comes later, a signup when its code does.
    const signups = world.events.filter(({ eventType }) => eventType === 'signup-created');
    const { rows } = await world.chain.db.query(
      'select max(version) as most from attribution_g2.fact where event_id = any($1)',
      [signups.map(({ eventId }) => eventId)],
    );
    expect(rows).to.deep.equal([{ most: 1 }]);
  });

  /** Zero until its tables are made. */
  async function decidedBy(generation: number): Promise<number> {
    const { rows } = await world.chain.db.query<{ schema: string | null }>(
      `select to_regclass('attribution_g${generation}.fact')::text as schema`,
    );
    if (rows[0]?.schema === null) return 0;
    const counted = await world.chain.db.query<{ count: number }>(
      `select count(*)::int as count from attribution_g${generation}.fact`,
    );
    return counted.rows[0]!.count;
  }
});

const history = 6_000;

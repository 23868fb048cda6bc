import { randomUUID } from 'node:crypto';
import { listTopics } from '@tributary/event-log/topic-admin';
import { findGeneration, readLiveGeneration } from '@tributary/generations/registry';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import {
  createRebuildKind,
  type RebuildResult,
} from '../../services/replay/src/commands/generations/rebuild.ts';
import {
  createDropKind,
  createRollbackKind,
  createSwapKind,
} from '../../services/replay/src/commands/generations/swap-kinds.ts';
import { differences, readState } from '../chain/current-state.ts';
import { type Generations, startGenerations, testContext } from './generations.ts';

/**
 * The life of generations through the jobs, on real folds while facts flow: built, killed and taken
 * up again, swapped, rolled back, dropped; and a live one whose tables are gone, built again by
 * itself.
 */
describe('generations, from rebuild to drop', function () {
  this.timeout(240_000);
  let world: Generations;
  let endFlow: () => Promise<void>;
  before(async () => {
    world = await startGenerations();
    endFlow = world.flow(20);
  });
  after(async () => {
    await endFlow?.();
    await world?.stop();
  });

  it('builds the next one; a job that was killed goes on with the one it began', async () => {
    const jobId = randomUUID();
    const killed = new AbortController();
    const context = testContext(jobId, () => killed.abort(new Error('killed')));
    const first = await rebuild()
      .run({ ...context, signal: killed.signal }, {})
      .catch((error: Error) => error.message);
    expect(first).to.equal('killed');
    expect(await number(jobId)).to.deep.equal({ outcome: 'ready', generation: 2 });
    expect(await findGeneration(world.deps.pool, 3)).to.equal(undefined);
  });

  it('swaps to it and back, each job once however often it is taken up', async () => {
    const [to2, back] = [testContext(randomUUID()), testContext(randomUUID())];
    for (let taken = 0; taken < 2; taken++) {
      expect(await createSwapKind(world.deps).run(to2, { to: 2 })).to.include({ from: 1, to: 2 });
      expect(await readLiveGeneration(world.deps.pool)).to.equal(2);
    }
    for (let taken = 0; taken < 2; taken++) {
      expect(await createRollbackKind(world.deps).run(back, {})).to.include({ from: 2, to: 1 });
      expect(await readLiveGeneration(world.deps.pool)).to.equal(1);
    }
  });

  it('refuses to drop the live one, and removes all of another one and nothing else', async () => {
    const drop = createDropKind(world.deps);
    const refused = await drop
      .run(testContext(randomUUID()), { generation: 1 })
      .catch((error: Error) => error.message);
    expect(refused).to.contain('generation 1 is live');
    const removed = await drop.run(testContext(randomUUID()), { generation: 2 });
    expect(removed).to.deep.equal({ generation: 2, schemas: 2, topics: 2 });
    expect(await leftOf(2)).to.deep.equal([]);
    expect(await leftOf(1)).to.have.lengthOf(2);
    const again = await drop
      .run(testContext(randomUUID()), { generation: 2 })
      .catch((error: Error) => error.message);
    expect(again).to.equal('there is no generation 2');
  });

  it('builds a live one again whose tables are gone, and pays nothing twice', async () => {
    await world.chain.db.query('drop schema attribution_g1, rewards_g1 cascade');
    await eventually(
      async () => expect((await findGeneration(world.deps.pool, 1))?.status).to.equal('lost'),
      { deadlineMs: 60_000 },
    );
    const result = await rebuild().run(testContext(randomUUID()), { recover: true });
    expect(result.outcome).to.equal('recovered');
    // Removed numbers are not remembered by topics; those of generation 1 are still there.
    expect(result.generation).to.be.greaterThan(1);
    expect(await readLiveGeneration(world.deps.pool)).to.equal(result.generation);
    await endFlow();
    await world.evaluate(result.generation);
    const idle = await rebuild().run(testContext(randomUUID()), { recover: true });
    expect(idle).to.deep.equal({ outcome: 'not-needed', generation: result.generation });
  });

  function rebuild() {
    return createRebuildKind({
      ...world.deps,
      replication: 1,
      minInsync: 1,
      async compareWithLog(_context, generation) {
        if (generation !== 2) return { identical: true, result: undefined };
        let found: string[] = [];
        // While both move on, a slow machine reads them at two places.
        await endFlow();
        try {
          await eventually(
            async () => {
              const [live, next] = [
                await readState(world.chain.db),
                await readState(world.chain.db, 2),
              ];
              found = differences(live, next);
              expect(found).to.deep.equal([]);
            },
            { deadlineMs: 60_000, everyMs: 50 },
          );
        } finally {
          endFlow = world.flow(20);
        }
        return { identical: found.length === 0, result: undefined };
      },
    });
  }

  async function number(jobId: string) {
    const result: RebuildResult = await rebuild().run(testContext(jobId), {});
    return { outcome: result.outcome, generation: result.generation };
  }

  async function leftOf(generation: number): Promise<string[]> {
    const { kafka, nameOf } = world.chain.topics;
    const names = [nameOf('attributions', generation), nameOf('rewards', generation)];
    return (await listTopics(kafka)).filter((topic) => names.includes(topic));
  }
});

import type { OnStop } from '@tributary/runtime/lifecycle';
import { createLogger } from '@tributary/runtime/logger';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type pg from 'pg';
import { hostGenerations } from './host-generations.ts';
import { openGenerations } from './open-generations.ts';
import { addGeneration, removeGeneration, setGenerationStatus } from './registry.ts';
import type { StagePlan } from './stage.ts';
import { listStages, registerStage } from './stage-registry.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const stage: StagePlan = {
  name: 'test',
  schema: 'test_g1',
  group: 'test',
  projection: 'test',
  topics: ['events', 'attributions'],
};

describe('a host of generations', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  /** What the host did, in order. */
  let done: string[];
  /** Starts of these fail. */
  const failing = new Set<number>();
  const broken = new Set<number>();
  let stops: (() => Promise<void> | void)[] = [];
  const onStop: OnStop = (_name, stop) => void stops.push(stop);

  beforeEach(async () => {
    done = [];
    failing.clear();
    broken.clear();
    database = await createDatabase();
    pool = await openGenerations(
      { url: database.url, schema: 'generations' },
      { logger, onStop, service: 'test' },
    );
  });
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
    stops = [];
    await database.drop();
  });

  const host = (only?: number, plan = stage) =>
    hostGenerations({
      pool,
      only,
      logger,
      onStop,
      pollMs: 20,
      stage: plan,
      start: async ({ generation }, life) => {
        life.onStop('first', () => void done.push(`stopped ${generation}`));
        if (failing.has(generation)) throw new Error(`${generation} has no topics`);
        done.push(`started ${generation}`);
        return Promise.resolve({
          name: `run of ${generation}`,
          isIntact: () => Promise.resolve(!broken.delete(generation)),
          checks: { part: () => ({ ok: generation === 1, detail: 'told' }) },
        });
      },
    });

  const check = async (hosted: Awaited<ReturnType<typeof host>>, name: string) =>
    hosted.checks()[name]!();

  it('runs what is registered, as it comes and goes', async () => {
    const hosted = await host();
    expect(hosted.live()?.name).to.equal('run of 1');
    await addGeneration(pool, { number: 2, foldVersion: 2 });
    await eventually(() => expect([...hosted.running().keys()]).to.deep.equal([1, 2]));
    expect(await check(hosted, 'g2/part')).to.deep.equal({ ok: true, detail: 'not ready: told' });
    expect(await check(hosted, 'part')).to.deep.equal({ ok: true, detail: 'told' });
    await removeGeneration(pool, 2);
    await eventually(() => expect(done).to.deep.equal(['started 1', 'started 2', 'stopped 2']));
    expect(hosted.get(2)).to.equal(undefined);
  });

  it('tries again what does not start, with nothing left of the try, and says why', async () => {
    failing.add(2);
    const hosted = await host();
    await addGeneration(pool, { number: 2, foldVersion: 2 });
    await eventually(async () =>
      expect(await check(hosted, 'generations')).to.deep.equal({
        ok: true,
        detail: 'generation 2 does not start: 2 has no topics',
      }),
    );
    expect(done).to.deep.equal(['started 1', 'stopped 2']);
    failing.clear();
    await eventually(() => expect(hosted.get(2)).not.to.equal(undefined));
    expect(await check(hosted, 'generations')).to.deep.equal({ ok: true });
  });

  it('does not begin at all when the live one cannot be started', async () => {
    failing.add(1);
    const error = await host().catch((thrown: unknown) => thrown);
    expect(String(error)).to.include('1 has no topics');
  });

  it('starts one anew whose schema went back, and stops one that is lost', async () => {
    const hosted = await host();
    broken.add(1);
    await eventually(() => expect(done).to.deep.equal(['started 1', 'stopped 1', 'started 1']));
    await setGenerationStatus(pool, 1, 'lost', 'because');
    await eventually(async () =>
      expect(await check(hosted, 'generations')).to.deep.equal({
        ok: false,
        detail: 'generation 1 is lost: because',
      }),
    );
    await eventually(() => expect(done.at(-1)).to.equal('stopped 1'));
    expect(hosted.live()).to.equal(undefined);
  });

  it('runs only the one it is told to, once that is registered', async () => {
    const hosted = await host(2);
    expect(await check(hosted, 'generations')).to.deep.equal({
      ok: false,
      detail: 'generation 2 is not registered',
    });
    await addGeneration(pool, { number: 2, foldVersion: 2 });
    await eventually(() => expect(hosted.live()?.name).to.equal('run of 2'));
    expect(await hosted.liveNumber()).to.equal(2);
    expect(done).to.deep.equal(['started 2']);
  });

  it('makes a registry anew that was dropped, and starts everything anew', async () => {
    const settings = { url: database.url, schema: 'generations' };
    const hosted = await hostGenerations({
      pool,
      remake: async () => void (await openGenerations(settings, { logger, onStop, service: 'x' })),
      stage,
      only: undefined,
      logger,
      onStop,
      pollMs: 20,
      start: ({ generation }) => {
        done.push(`started ${generation}`);
        return Promise.resolve({});
      },
    });
    await addGeneration(pool, { number: 2, foldVersion: 2 });
    await eventually(() => expect(done).to.deep.equal(['started 1', 'started 2']));
    await pool.query('drop schema generations cascade');
    await eventually(() => expect(done).to.deep.equal(['started 1', 'started 2', 'started 1']));
    expect([...hosted.running().keys()]).to.deep.equal([1]);
    expect(await listStages(pool, 1)).to.deep.equal([{ ...stage, generation: 1 }]);
  });

  it('registers itself again where the registry was made anew by somebody else', async () => {
    await host();
    expect(await listStages(pool, 1)).to.have.length(1);
    await pool.query('delete from stage');
    await eventually(async () => expect(await listStages(pool, 1)).to.have.length(1));
    expect(done).to.deep.equal(['started 1']);
  });

  it('registers itself again where somebody registered it otherwise', async () => {
    await host();
    const others = { schema: 'another_g1', topics: ['events' as const], sharedSchema: 'shared' };
    await registerStage(pool, { ...stage, ...others });
    await eventually(async () =>
      expect(await listStages(pool, 1)).to.deep.equal([{ ...stage, generation: 1 }]),
    );
    expect(done).to.deep.equal(['started 1']);
  });

  it('does not begin with the schema of a later generation in the place of the first', async () => {
    const error = await host(2, { ...stage, schema: 'test_g2' }).catch((thrown: unknown) => thrown);
    expect(String(error)).to.include('TRIBUTARY_POSTGRES_SCHEMA');
    expect(await listStages(pool, 1)).to.deep.equal([]);
    expect(done).to.deep.equal([]);
  });

  it('registers what it runs of every generation before it starts the first, and starts that', async () => {
    const found: object[] = [];
    await hostGenerations({
      pool,
      stage,
      only: undefined,
      logger,
      onStop,
      pollMs: 20,
      start: async (started) => {
        found.push({ started, listed: await listStages(pool, started.generation) });
        return {};
      },
    });
    await addGeneration(pool, { number: 2, foldVersion: 2 });
    const first = { ...stage, generation: 1 };
    const second = { ...stage, schema: 'test_g2', group: 'test-g2', generation: 2 };
    await eventually(() =>
      expect(found).to.deep.equal([
        { started: first, listed: [first] },
        { started: second, listed: [second] },
      ]),
    );
  });
});

import type { OnStop } from '@tributary/runtime/lifecycle';
import { createLogger } from '@tributary/runtime/logger';
import { inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import type pg from 'pg';
import { openGenerations } from './open-generations.ts';
import type { StagePlan } from './stage.ts';
import { listStages, registerStage } from './stage-registry.ts';
import { holdStage, readOffsets, readUnfinished } from './stage-state.ts';

const plan: StagePlan = {
  name: 'widget',
  schema: 'widget',
  group: 'widget',
  projection: 'widget',
  topics: ['codes', 'attributions'],
};

describe('stages of generations', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  const stops: (() => Promise<void> | void)[] = [];
  const onStop: OnStop = (_name, stop) => void stops.push(stop);

  beforeEach(async () => {
    database = await createDatabase();
    const logger = createLogger({ service: 'test', level: 'silent' });
    const settings = { url: database.url, schema: 'generations' };
    pool = await openGenerations(settings, { logger, onStop, service: 'test' });
  });
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
    await database.drop();
  });

  it('are listed with the names that they have in a generation, as each registered itself last', async () => {
    const rewards = { ...plan, name: 'rewards', schema: 'rewards_g1', sharedSchema: 'issuance' };
    for (const one of [plan, rewards, { ...plan, group: 'shown' }]) await registerStage(pool, one);
    expect(await listStages(pool, 2)).to.deep.equal([
      { ...rewards, generation: 2, schema: 'rewards_g2', group: 'widget-g2' },
      { ...plan, generation: 2, schema: 'widget_g2', group: 'shown-g2' },
    ]);
    expect((await listStages(pool, 1))[1]).to.deep.equal({
      ...plan,
      generation: 1,
      group: 'shown',
    });
  });

  it('may read a topic that this release does not know', async () => {
    await registerStage(pool, plan);
    await pool.query(`update stage set topics = topics || '{later}'`);
    expect((await listStages(pool, 1))[0]?.topics).to.deep.equal(plan.topics);
  });

  it('say how far they are, and nothing while they have no tables or those of an earlier release', async () => {
    const stage = { ...plan, generation: 1 };
    expect(await readOffsets(pool, stage)).to.equal(undefined);
    expect(await readUnfinished(pool, 'widget')).to.equal(undefined);
    await pool.query(`create schema widget
      create table projection_position (projection text, topic text, partition int, next_offset bigint)`);
    expect(await readOffsets(pool, stage)).to.deep.equal(new Map());
    expect(await readUnfinished(pool, 'widget')).to.equal(undefined);
    await pool.query(`insert into widget.projection_position
      values ('widget', 'codes', 3, 9007199254740993), ('another', 'codes', 3, 1)`);
    await pool.query(
      'create view widget.stage_unfinished as select 1 as open, 2 as unsent, 3 as undecided',
    );
    expect(await readOffsets(pool, stage)).to.deep.equal(new Map([['codes/3', 9007199254740993n]]));
    const unfinished = { open: 1, unsent: 2, undecided: 3 };
    expect(await readUnfinished(pool, 'widget')).to.deep.equal(unfinished);
  });

  it('are held until the transaction ends, also for what they have not begun to read', async () => {
    await pool.query('create schema widget create table projection_position (topic text)');
    await inTransaction(pool, async (tx) => {
      await holdStage(tx, { ...plan, generation: 1 });
      const refused = await inTransaction(pool, async (other) => {
        await other.query('set local lock_timeout = 100');
        await other.query(`insert into widget.projection_position values ('codes')`);
      }).catch((error: { code?: string }) => error.code);
      expect(refused).to.equal('55P03');
    });
    await pool.query(`insert into widget.projection_position values ('codes')`);
  });
});

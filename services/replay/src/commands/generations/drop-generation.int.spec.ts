import { topicName } from '@tributary/contracts/topics';
import { createKafka, type KafkaConnection } from '@tributary/event-log/kafka';
import { deleteTopics, listGroups } from '@tributary/event-log/remove-from-brokers';
import { createTopics, listTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { withAdmin } from '@tributary/event-log/with-admin';
import { openGenerations } from '@tributary/generations/open-generations';
import { addGeneration, findGeneration, removeGeneration } from '@tributary/generations/registry';
import type { StagePlan } from '@tributary/generations/stage';
import { registerStage } from '@tributary/generations/stage-registry';
import { identifyDatabase } from '@tributary/generations/stage-databases';
import { createLogger } from '@tributary/runtime/logger';
import { createPool } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import type pg from 'pg';
import type { JobContext } from '../job-kind.ts';
import { dropGeneration } from './drop-generation.ts';
import { madeBy, markCompared } from '../../db/generation-marks.ts';
import { nextGenerationNumber } from './next-number.ts';
import { createRebuildKind } from './rebuild.ts';
import { createDropKind, createSwapKind } from './swap-kinds.ts';
import { untilClose } from './until-close.ts';
import { NotNow } from './wait.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const { signal } = new AbortController();
const context: JobContext = {
  ...{ jobId: 'a-job', attempt: 1, dir: '/nonexistent', signal, logger },
  progress: () => undefined,
  note: () => Promise.resolve(),
};
const names = ['attribution', 'rewards', 'portal', 'widget'] as const;

/** What a generation leaves, without the processes that made it: a drop needs none of them. */
describe('a drop of a generation', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let pool: pg.Pool;
  let kafka: KafkaConnection;
  let wiring: { prefix: string; generation: number; replication: number; minInsync: number };
  const stops: (() => Promise<void> | void)[] = [];

  beforeEach(async () => {
    const { kafkaBrokers } = await getServers();
    kafka = createKafka({
      settings: { brokers: kafkaBrokers.split(',') },
      clientId: 'test',
      logger,
    });
    wiring = { prefix: uniquePrefix(), generation: 2, replication: 1, minInsync: 1 };
    database = await createDatabase();
    const onStop = (_name: string, stop: () => Promise<void> | void) => void stops.push(stop);
    const settings = { url: database.url, schema: 'generations' };
    pool = await openGenerations(settings, { logger, onStop, service: 'test' });
    for (const name of names) await registerStage(pool, planOf(name));
  });
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
    await database.drop();
  });

  it('removes what every stage has of it, and of no other generation', async () => {
    await make();
    await pool.query('create schema widget');
    expect(await drop()).to.deep.equal({ schemas: 4, topics: 2 });
    expect(await left()).to.deep.equal({ schemas: [], topics: [], groups: [] });
    expect(await schemas()).to.include('widget');
    expect(await drop()).to.equal('there is no generation 2');
  });

  it('that was killed when the generation was off the list is carried on', async () => {
    await make();
    await removeGeneration(pool, 2);
    expect(await drop()).to.deep.equal({ schemas: 4, topics: 2 });
    expect(await left()).to.deep.equal({ schemas: [], topics: [], groups: [] });
  });

  it('that was killed when only consumer groups were left is carried on', async () => {
    await make();
    await removeGeneration(pool, 2);
    await pool.query(names.map((name) => `drop schema ${name}_g2`).join(';'));
    await deleteTopics(kafka, (await left()).topics);
    expect(await drop()).to.deep.equal({ schemas: 0, topics: 0 });
    expect((await left()).groups).to.deep.equal([]);
  });

  it('that was killed when nothing was left is done', async () => {
    await make();
    await drop();
    const kind = createDropKind(deps());
    const again = (attempt: number) =>
      kind.run({ ...context, attempt }, { generation: 2 }).catch((error: Error) => error.message);
    expect(await again(2)).to.deep.equal({ generation: 2, schemas: 0, topics: 0 });
    expect(await again(1)).to.equal('there is no generation 2');
  });

  it('by a cancelled rebuild that was killed in the middle of it is carried on', async () => {
    await make('a-job');
    await removeGeneration(pool, 2);
    await pool.query('drop schema attribution_g2');
    const rebuild = createRebuildKind({
      ...{ pool, kafka, topics: wiring, replication: 1, minInsync: 1 },
      compareWithLog: () => Promise.reject(new Error('not asked')),
    });
    for (let times = 0; times < 2; times++) {
      await rebuild.cleanUp!({ jobId: 'a-job', logger }, {});
      expect(await left()).to.deep.equal({ schemas: [], topics: [], groups: [] });
    }
  });

  it('waits for stages to register that it does not know, and changes nothing before', async () => {
    await make();
    for (const name of ['portal', 'rewards']) {
      await pool.query('delete from stage where name = $1', [name]);
      expect(await drop()).to.equal(`${name} has not registered itself: start it once`);
    }
    expect(await findGeneration(pool, 2)).to.not.equal(undefined);
    expect((await left()).topics).to.have.length(2);
  });

  it('has a swap wait for the portal to register, as it does', async () => {
    await addGeneration(pool, { number: 2, foldVersion: 2 });
    await markCompared(pool, 2, { identical: true, how: 'as a spec says' });
    await pool.query(`delete from stage where name = 'portal'`);
    const swap = createSwapKind(deps()).run(context, { to: 2 });
    expect(await swap.catch((thrown: unknown) => thrown)).to.be.instanceOf(NotNow);
  });

  it('waits while the list of stages is not there, as in a backup of an earlier release', async () => {
    await pool.query('drop table stage');
    const error = await dropGeneration(deps(), 2, { signal }).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(NotNow);
  });

  describe('whose read model is in another database', () => {
    let elsewhere: TestDatabase;
    let other: pg.Pool;
    beforeEach(async () => {
      elsewhere = await createDatabase();
      const settings = { url: elsewhere.url, schema: 'public', poolSize: 2 };
      other = createPool(settings, { applicationName: 'test', logger });
      await make();
      await pool.query('drop schema portal_g2');
      await other.query('create schema portal_g2; create schema portal');
      const database = await identifyDatabase(other);
      await registerStage(pool, { ...planOf('portal'), database });
    });
    afterEach(async () => {
      await other.end();
      await elsewhere.drop();
    });

    it('removes it there, too', async () => {
      const dropped = await dropGeneration({ ...deps(), readModelPools: [other] }, 2, { signal });
      expect(dropped).to.deep.equal({ schemas: 4, topics: 2 });
      const { rows } = await other.query(
        `select nspname from pg_namespace where nspname ~ '^portal'`,
      );
      expect(rows).to.deep.equal([{ nspname: 'portal' }]);
    });

    it('removes nothing there that is called as a fold is: folds are in their own', async () => {
      await other.query('create schema attribution_g2; create schema rewards_g2');
      const dropped = await dropGeneration({ ...deps(), readModelPools: [other] }, 2, { signal });
      expect(dropped).to.deep.equal({ schemas: 4, topics: 2 });
      const { rows } = await other.query(
        `select nspname from pg_namespace where nspname ~ '_g2$' order by 1`,
      );
      expect(rows).to.deep.equal([{ nspname: 'attribution_g2' }, { nspname: 'rewards_g2' }]);
    });

    it('changes nothing while it is not told which', async () => {
      expect(await drop()).to.match(/^portal keeps its tables in another database/);
      expect(await findGeneration(pool, 2)).to.not.equal(undefined);
      expect((await left()).topics).to.have.length(2);
    });

    it('gives no number again that a schema there has', async () => {
      await other.query('create schema portal_g3');
      expect(await nextGenerationNumber({ ...deps(), readModelPools: [other] })).to.equal(4);
    });

    it('holds nobody up without end where money waits: the history says why it is left out', async () => {
      await makePositions();
      const { readModels, notes } = await close([]);
      expect(readModels).to.deep.equal(['widget']);
      expect(notes[0]).to.match(/^portal keeps its tables in another database.* its address here/);
      expect(notes.at(-1)).to.match(/^not waited for any longer: portal/);
    });

    it('holds nobody up that does not answer, and leaves the others to be asked', async () => {
      const silent = createPool(
        { url: 'postgresql://127.0.0.1:1/nobody', schema: 'public', poolSize: 1 },
        { applicationName: 'test', logger },
      );
      try {
        await makePositions();
        const { readModels, notes } = await close([silent]);
        expect(readModels).to.deep.equal(['widget']);
        expect(notes[0]).to.match(
          /^portal keeps its tables in another database.* does not answer$/,
        );
        await other.query(positionsIn('portal_g2'));
        expect((await close([silent, other])).readModels).to.deep.equal(['portal', 'widget']);

        await other.query('create schema portal_g3');
        const readModelPools = [silent, other];
        expect(await nextGenerationNumber({ ...deps(), readModelPools })).to.equal(4);
        expect(await nextGenerationNumber({ ...deps(), readModelPools: [silent] })).to.equal(3);
      } finally {
        await silent.end();
      }
    });

    async function close(readModelPools: readonly pg.Pool[]) {
      const notes: string[] = [];
      const asked = { ...context, note: (line: string) => Promise.resolve(void notes.push(line)) };
      const at = { ...deps(), readModelPools };
      return { ...(await untilClose(at, 2, asked, { modelGraceMs: patiently(1_500) })), notes };
    }

    async function makePositions(): Promise<void> {
      for (const name of names.filter((one) => one !== 'portal')) {
        await pool.query(positionsIn(`${name}_g2`));
      }
    }

    function positionsIn(schema: string): string {
      return `create table ${schema}.projection_position
        (projection text, topic text, partition int, next_offset bigint)`;
    }
  });

  it('is not forgotten by numbers: one that a schema of any stage has is not given again', async () => {
    await pool.query(`create schema widget_g2`);
    expect(await nextGenerationNumber(deps())).to.equal(3);
    await pool.query(`create schema unregistered_g3`);
    expect(await nextGenerationNumber(deps())).to.equal(4);
  });

  /** Generation 2, as if it had been run. */
  async function make(jobId?: string): Promise<void> {
    const topics = topicSpecs(wiring, ['attributions', 'rewards', 'codes']);
    await createTopics({ kafka, topics, logger });
    await addGeneration(pool, {
      ...{ number: 2, foldVersion: 2 },
      ...(jobId !== undefined && { note: madeBy(jobId) }),
    });
    await pool.query(names.map((name) => `create schema ${name}_g2`).join(';'));
    const topic = topicName('codes', wiring);
    const partitions = [{ partition: 0, offset: '0' }];
    await withAdmin(kafka, async (admin) => {
      for (const name of names) {
        const groupId = `${wiring.prefix}${name}-g2`;
        // Where no runner made them ready, groups can be used a little after the broker is there.
        await eventually(() => admin.setOffsets({ groupId, topic, partitions }));
      }
    });
  }

  const deps = () => ({ pool, kafka, topics: wiring });

  async function drop(): Promise<unknown> {
    return dropGeneration(deps(), 2, { signal }).catch((error: Error) => error.message);
  }

  async function left() {
    const groups = names.map((name) => `${wiring.prefix}${name}-g2`);
    return {
      schemas: (await schemas()).filter((schema) => schema.endsWith('_g2')),
      topics: (await listTopics(kafka)).filter(
        (topic) => topic.startsWith(wiring.prefix) && topic.endsWith('.g2'),
      ),
      groups: await listGroups(kafka, groups),
    };
  }

  async function schemas(): Promise<string[]> {
    const { rows } = await pool.query<{ name: string }>('select nspname as name from pg_namespace');
    return rows.map(({ name }) => name);
  }

  function planOf(name: string): StagePlan {
    const group = `${wiring.prefix}${name}`;
    return { name, schema: name, group, projection: name, topics: ['codes'] };
  }
});

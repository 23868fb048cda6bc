import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import type pg from 'pg';
import { type Appender, createAppender } from './appender.ts';
import { createCatchUp } from './catch-up.ts';
import type { KafkaConnection } from './kafka.ts';
import { partitionOf } from './partitioner.ts';
import { createProjection, type Projection, source } from './projection.ts';
import {
  connectTo,
  makeTopics,
  noteCodec,
  plainTopic,
  preparePool,
  silentLogger,
} from './testing.ts';

describe('catch-up', () => {
  const deadline = { deadlineMs: 20_000 };
  let kafka: KafkaConnection;
  let database: TestDatabase;
  let pool: pg.Pool;
  let appender: Appender;
  let topic: string;
  let running: Projection[];

  before(async () => {
    kafka = connectTo((await getServers()).kafkaBrokers);
    database = await createDatabase();
    pool = await preparePool(database.url);
    appender = createAppender({ kafka, logger: silentLogger });
    await appender.start();
    await eventually(() => expect(appender.health().ok).to.equal(true));
  });

  beforeEach(async () => {
    running = [];
    topic = `${uniquePrefix()}notes`;
    await makeTopics(kafka, plainTopic(topic, 2));
  });

  afterEach(() => Promise.all(running.map((projection) => projection.stop())));

  after(async () => {
    await appender?.stop();
    await pool?.end();
    await database?.drop();
  });

  async function start(
    options: { mayRead?: () => boolean; alertMs?: number } = {},
  ): Promise<Projection> {
    const projection = createProjection({
      kafka,
      logger: silentLogger,
      pool,
      name: topic,
      group: `group-${topic}`,
      sources: [source('notes', topic, noteCodec)],
      apply: () => Promise.resolve(),
      deadLetterTopic: 'none',
      ...options,
    });
    running.push(projection);
    await projection.start();
    return projection;
  }

  const catchUpOf = (projection: Projection) =>
    createCatchUp({ kafka, pool, name: topic, projection, topics: [topic] });

  const states = (projections: readonly Projection[]) =>
    projections.flatMap((one) => one.partitions().map(({ state }) => state));

  const keyOf = (partition: number) =>
    ['a', 'b', 'c', 'd', 'e', 'f'].find((key) => partitionOf(topic, key, 2) === partition)!;

  it('does not wait for a partition that another process had to stop', async () => {
    const two = [await start(), await start()];
    await eventually(() => {
      for (const one of two) expect(one.partitions()).to.have.length(1);
    }, deadline);
    // What the one holds is stopped, and what the other holds as well.
    for (const partition of [0, 1]) {
      const key = keyOf(partition);
      await appender.append([{ topic, key, value: '{"schemaVersion":2,"n":1}' }]);
    }
    await eventually(
      () => expect(states(two)).to.deep.equal(['newer-schema', 'newer-schema']),
      deadline,
    );
    for (const one of two) {
      const caughtUp = catchUpOf(one);
      await eventually(async () => expect(await caughtUp()).to.equal(true), deadline);
    }
  });

  it('waits for it again once somebody has claimed it, who may read it', async () => {
    const older = await start();
    await appender.append([{ topic, key: keyOf(0), value: '{"schemaVersion":2,"n":1}' }]);
    await eventually(() => expect(states([older])).to.include('newer-schema'), deadline);
    const caughtUp = catchUpOf(older);
    await eventually(async () => expect(await caughtUp()).to.equal(true), deadline);
    await older.stop();

    const next = await start({ mayRead: () => false });
    const hasCaughtUp = catchUpOf(next);
    await eventually(() => expect(states([next])).to.include('held-back'), deadline);
    expect(await hasCaughtUp()).to.equal(false);
  });

  it('does not wait for a partition that was stopped after the backup its database was put back from', async () => {
    const first = await start();
    await eventually(() => expect(states([first])).to.deep.equal(['running', 'running']), deadline);
    await pool.query(`create table kept as select * from projection_position`);
    await first.stop();

    const second = await start({ alertMs: 100 });
    await appender.append([{ topic, key: keyOf(0), value: '{"schemaVersion":2,"n":1}' }]);
    await eventually(() => expect(states([second])).to.include('newer-schema'), deadline);
    const caughtUp = catchUpOf(second);
    await eventually(async () => expect(await caughtUp()).to.equal(true), deadline);
    // All positions are what they were, so nothing shows that the database is older.
    await pool.query(`begin; truncate projection_position;
      insert into projection_position select * from kept; commit`);
    const hasCaughtUp = catchUpOf(second);
    await eventually(async () => expect(await hasCaughtUp()).to.equal(true), deadline);
    expect(second.setbacks()).to.equal(0);
  });
});

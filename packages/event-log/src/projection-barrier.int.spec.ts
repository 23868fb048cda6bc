import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import type pg from 'pg';
import { type Appender, createAppender } from './appender.ts';
import type { KafkaConnection } from './kafka.ts';
import { partitionOf } from './partitioner.ts';
import { createProjectionBarrier } from './projection-barrier.ts';
import { createProjection, type Projection, source } from './projection.ts';
import {
  connectTo,
  makeTopics,
  note,
  noteCodec,
  plainTopic,
  preparePool,
  silentLogger,
} from './testing.ts';

describe('projection barrier', () => {
  const deadline = { deadlineMs: 30_000 };
  let kafka: KafkaConnection;
  let database: TestDatabase;
  let pool: pg.Pool;
  let appender: Appender;
  let projection: Projection | undefined;

  before(async () => {
    kafka = connectTo((await getServers()).kafkaBrokers);
    database = await createDatabase();
    pool = await preparePool(database.url);
    appender = createAppender({ kafka, logger: silentLogger });
    await appender.start();
    await eventually(() => expect(appender.health().ok).to.equal(true));
  });

  after(async () => {
    await projection?.stop();
    await appender?.stop();
    await pool?.end();
    await database?.drop();
  });

  it('does not wait for a partition that another process had to stop, and for the others it does', async () => {
    const topic = `${uniquePrefix()}notes`;
    await makeTopics(kafka, plainTopic(topic, 2));
    projection = createProjection({
      kafka,
      logger: silentLogger,
      pool,
      name: topic,
      group: `group-${topic}`,
      sources: [source('notes', topic, noteCodec)],
      apply: () => Promise.resolve(),
      deadLetterTopic: 'none',
    });
    await projection.start();
    const append = (partition: number, value: string) =>
      appender.append([{ topic, key: keyOf(topic, partition), value }]);
    await append(0, '{"schemaVersion":2,"n":1}');
    await append(1, note(1));

    // As in another replica: of the projection it knows what stands in the database, and no more.
    const about = { kafka, logger: silentLogger, pool: () => pool, name: topic, topics: [topic] };
    const barrier = createProjectionBarrier(about);
    await eventually(async () => expect(await barrier.becomeCurrent()).to.equal(true), deadline);
    await projection.stop();
    await append(1, note(2));
    expect(await barrier.becomeCurrent()).to.equal(false);
    barrier.stop();
  }).timeout(60_000);
});

function keyOf(topic: string, partition: number): string {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
  return keys.find((key) => partitionOf(topic, key, 2) === partition)!;
}

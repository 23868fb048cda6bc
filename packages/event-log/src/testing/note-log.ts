import { createDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import type pg from 'pg';
import { type Appender, createAppender } from '../appender.ts';
import type { KafkaConnection } from '../kafka.ts';
import { partitionOf } from '../partitioner.ts';
import { createProjection, type Projection, source } from '../projection.ts';
import {
  connectTo,
  makeTopics,
  noteCodec,
  plainTopic,
  preparePool,
  silentLogger,
} from '../testing.ts';

/** A database and topics of notes, and projections of these in this process. */
export type NoteLog = {
  kafka: KafkaConnection;
  pool: pg.Pool;
  appender: Appender;
  newTopic(partitions?: number): Promise<string>;
  /** Reads the notes of a topic; by default under its name, and writes nothing. */
  project(topic: string, changes?: Partial<ProjectionOptions>): Promise<Projection>;
  stopProjections(): Promise<void>;
  stop(): Promise<void>;
};

type ProjectionOptions = Parameters<typeof createProjection>[0];

export async function startNoteLog(): Promise<NoteLog> {
  const kafka = connectTo((await getServers()).kafkaBrokers);
  const database = await createDatabase();
  const pool = await preparePool(database.url);
  const appender = createAppender({ kafka, logger: silentLogger, deadlineMs: 30_000 });
  await appender.start();
  await eventually(() => {
    if (!appender.health().ok) throw new Error('the brokers do not answer');
  });
  let running: Projection[] = [];

  async function stopProjections(): Promise<void> {
    await Promise.all(running.map((projection) => projection.stop()));
    running = [];
  }

  return {
    kafka,
    pool,
    appender,
    async newTopic(partitions) {
      const topic = `${uniquePrefix()}notes`;
      await makeTopics(kafka, plainTopic(topic, partitions));
      return topic;
    },
    async project(topic, changes = {}) {
      const projection = createProjection({
        kafka,
        logger: silentLogger,
        pool,
        name: topic,
        group: `group-${topic}`,
        sources: [source('notes', topic, noteCodec)],
        apply: () => Promise.resolve(),
        deadLetterTopic: 'none',
        ...changes,
      });
      running.push(projection);
      await projection.start();
      return projection;
    },
    stopProjections,
    async stop() {
      await stopProjections();
      await appender.stop();
      await pool.end();
      await database.drop();
    },
  };
}

/** A key whose records go into this one of two partitions. */
export function keyOfTwo(topic: string, partition: number): string {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
  return keys.find((key) => partitionOf(topic, key, 2) === partition)!;
}

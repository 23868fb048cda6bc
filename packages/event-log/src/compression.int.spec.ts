import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { lastCompression, replaceLastRecords } from '@tributary/testkit/damage-log';
import { eventually } from '@tributary/testkit/eventually';
import { startOwned } from '@tributary/testkit/owned-servers';
import type { TestServer } from '@tributary/testkit/test-server';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import type pg from 'pg';
import { type RawRecord, startRawAppender } from './append-raw.ts';
import { createAppender } from './appender.ts';
import { createProjection, type Projection, source } from './projection.ts';
import { readRaw } from './read-raw.ts';
import { scanTopic } from './scan-topic.ts';
import {
  connectTo,
  makeTopics,
  note,
  noteCodec,
  plainTopic,
  preparePool,
  silentLogger,
} from './testing.ts';
import { keyOfTwo } from './testing/note-log.ts';

type Compression = 'none' | 'zstd';

/** On a Kafka of their own, whose files are looked at. */
describe('compression of the log', function () {
  this.timeout(120_000);
  const deadline = { deadlineMs: 40_000 };
  let server: TestServer;
  let database: TestDatabase;
  let pool: pg.Pool;
  let running: Projection[] = [];

  before(async () => {
    [server, database] = await Promise.all([startOwned('kafka'), createDatabase()]);
    pool = await preparePool(database.url);
    await pool.query('create table applied (topic text, partition integer, n integer)');
  });

  afterEach(async () => {
    await Promise.all(running.map((projection) => projection.stop()));
    running = [];
  });

  after(async () => {
    await pool?.end();
    await database?.drop();
    await server?.stop();
  });

  const kafka = (compression?: Compression) => connectTo(server.address, silentLogger, compression);

  async function newTopic(): Promise<string> {
    const topic = `${uniquePrefix()}notes`;
    await makeTopics(kafka(), plainTopic(topic, 2));
    return topic;
  }

  /** The numbers of each batch go to one partition, in one batch. */
  async function append(
    topic: string,
    compression: Compression,
    ...batches: { partition: number; numbers: number[] }[]
  ): Promise<void> {
    const appender = createAppender({ kafka: kafka(compression), logger: silentLogger });
    await appender.start();
    for (const { partition, numbers } of batches) {
      const key = keyOfTwo(topic, partition);
      const entries = numbers.map((n) => ({ topic, key, value: note(n) }));
      await eventually(() => appender.append(entries), deadline);
    }
    await appender.stop();
  }

  function project(topic: string): Projection {
    const projection = createProjection({
      kafka: kafka(),
      logger: silentLogger,
      pool,
      name: topic,
      group: `group-${topic}`,
      sources: [source('notes', topic, noteCodec)],
      async apply(tx, batch) {
        for (const { partition, value } of batch) {
          const { n } = value as { n: number };
          await tx.query('insert into applied values ($1, $2, $3)', [topic, partition, n]);
        }
      },
      deadLetterTopic: 'none',
    });
    running.push(projection);
    void projection.start();
    return projection;
  }

  async function applied(topic: string, partition = 0): Promise<number[]> {
    const { rows } = await pool.query<{ n: number }>(
      'select n from applied where topic = $1 and partition = $2 order by n',
      [topic, partition],
    );
    return rows.map(({ n }) => n);
  }

  async function scanned(topic: string): Promise<number[]> {
    const found: number[] = [];
    await scanTopic({
      ...{ kafka: kafka(), logger: silentLogger, topic, codec: noteCodec },
      onRecord: ({ value, partition }) => void (partition === 0 && found.push(value!.n)),
    });
    return found;
  }

  async function raw(topic: string, to: bigint): Promise<RawRecord[]> {
    const found: RawRecord[] = [];
    await readRaw({
      ...{ kafka: kafka(), logger: silentLogger, topic },
      ranges: new Map([[0, { from: 0n, to }]]),
      onSlice: ({ records }) => void found.push(...records),
    });
    return found.map(({ key, value }) => ({ key, value }));
  }

  it('is zstd where that is set, and none where it is not', async () => {
    const topic = await newTopic();
    await append(topic, 'none', { partition: 0, numbers: [1, 2] });
    expect(await lastCompression(server, { topic, partition: 0 })).to.equal(0);
    await append(topic, 'zstd', { partition: 0, numbers: [3, 4] });
    expect(await lastCompression(server, { topic, partition: 0 })).to.equal(4);
  });

  it('is the same to every reader, also where it changes within a topic', async () => {
    const topic = await newTopic();
    await append(topic, 'none', { partition: 0, numbers: [0, 1] });
    await append(topic, 'zstd', { partition: 0, numbers: [2] }, { partition: 0, numbers: [3, 4] });
    await append(topic, 'none', { partition: 0, numbers: [5] });
    const all = [0, 1, 2, 3, 4, 5];
    project(topic);
    await eventually(async () => expect(await applied(topic)).to.deep.equal(all), deadline);
    expect(await scanned(topic)).to.deep.equal(all);
    const key = Buffer.from(keyOfTwo(topic, 0));
    expect(await raw(topic, 6n)).to.deep.equal(
      all.map((n) => ({ key, value: Buffer.from(note(n)) })),
    );
  });

  it('keeps a record of a raw append to the byte', async () => {
    const topic = await newTopic();
    const records = [
      { key: Buffer.from('k'), value: null },
      { key: null, value: Buffer.from([0, 255, 0]) },
      { key: Buffer.alloc(0), value: Buffer.alloc(300_000, 'x') },
    ];
    const appender = await startRawAppender(kafka('zstd'));
    await appender.append(topic, new Map([[0, { at: 0n, records }]]));
    await appender.stop();
    expect(await lastCompression(server, { topic, partition: 0 })).to.equal(4);
    expect(await raw(topic, 3n)).to.deep.equal(records);
  });

  describe('when a batch cannot be decoded', () => {
    const half = (bytes: Buffer) => bytes.subarray(0, bytes.length / 2);
    const garble = (bytes: Buffer) => {
      bytes[bytes.length >> 1]! ^= 0x55;
      return bytes;
    };
    const damages = [
      { what: 'a zstd frame with a wrong byte', compression: 'zstd', damage: garble },
      { what: 'half a zstd frame', compression: 'zstd', damage: half },
      { what: 'no zstd frame', compression: 'zstd', damage: () => Buffer.from('garbage') },
      { what: 'half the records, uncompressed', compression: 'none', damage: half },
    ] as const;
    const topics: string[] = [];

    before(async () => {
      for (const { compression } of damages) {
        const topic = await newTopic();
        topics.push(topic);
        const numbers = Array.from({ length: 50 }, (_, n) => 100 + n);
        await append(topic, compression, { partition: 0, numbers: [1] }, { partition: 0, numbers });
        await append(topic, compression, { partition: 1, numbers: [2] });
      }
      await server.kill();
      for (const [at, { damage }] of damages.entries()) {
        await replaceLastRecords(server, { topic: topics[at]!, partition: 0 }, damage);
      }
      await server.restart();
    });

    for (const [at, { what }] of damages.entries()) {
      it(`stops its partition only, and says so: ${what}`, async () => {
        const topic = topics[at]!;
        const projection = project(topic);
        const states = () => projection.partitions().map(({ state, next }) => ({ state, next }));
        await eventually(() => {
          expect(states()).to.deep.include({ state: 'undecodable', next: 1n });
          expect(projection.health().detail).to.contain(
            `${topic}/0 undecodable: offsets 1 to 50 cannot`,
          );
        }, deadline);
        expect(await applied(topic)).to.deep.equal([1]);
        await append(topic, 'zstd', { partition: 1, numbers: [3] });
        await eventually(async () => {
          expect(await applied(topic, 1)).to.deep.equal([2, 3]);
        }, deadline);
      });

      it(`fails whatever reads the topic once: ${what}`, async () => {
        const topic = topics[at]!;
        const expected = `${topic}/0 offsets 1 to 50 cannot be decoded: `;
        await expectRejection(scanned(topic), expected);
        await expectRejection(raw(topic, 51n), expected);
      });
    }
  });
});

async function expectRejection(promise: Promise<unknown>, text: string): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason as Error,
  );
  expect(error?.message).to.contain(text);
}

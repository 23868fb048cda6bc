import { deadLetterCodec, type DeadLetterRecord } from '@tributary/contracts/dead-letter-record';
import { inTransaction, type Tx } from '@tributary/runtime/postgres';
import { createDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import type pg from 'pg';
import { type Appender, createAppender } from './appender.ts';
import type { KafkaConnection } from './kafka.ts';
import { createRelay, type Relay } from './relay.ts';
import { advancePositions, claimPositions } from './position.ts';
import { createProjection, type Incoming, type Projection, source } from './projection.ts';
import { scanTopic } from './scan-topic.ts';
import {
  connectTo,
  deleteTopic,
  expireAll,
  makeTopics,
  note,
  noteCodec,
  plainTopic,
  preparePool,
  silentLogger,
} from './testing.ts';

type Note = { schemaVersion: 1; n: number };
type ProjectOptions = {
  mayRead?: (source: string) => boolean;
  givesWay?: () => boolean;
  maxBatchRecords?: number;
  /** As on a topic whose old records go after a while. */
  expires?: boolean;
};

describe('projection', () => {
  let kafka: KafkaConnection;
  let pool: pg.Pool;
  let appender: Appender;
  let relay: Relay;
  let topic: string;
  let deadLetterTopic: string;
  let running: Projection[] = [];
  let database: Awaited<ReturnType<typeof createDatabase>>;

  before(async () => {
    kafka = connectTo((await getServers()).kafkaBrokers);
    database = await createDatabase();
    pool = await preparePool(database.url);
    await pool.query('create table applied (n integer, topic_offset bigint, partition integer)');
    appender = createAppender({ kafka, logger: silentLogger, deadlineMs: 30_000 });
    await appender.start();
    await eventually(() => expect(appender.health().ok).to.equal(true));
    relay = createRelay({ pool, appender, logger: silentLogger });
    await relay.start();
  });

  beforeEach(async () => {
    const prefix = uniquePrefix();
    topic = `${prefix}notes`;
    deadLetterTopic = `${prefix}dead-letters`;
    await makeTopics(kafka, plainTopic(topic), plainTopic(deadLetterTopic, 1));
    await pool.query('truncate applied, projection_position');
  });

  afterEach(async () => {
    await Promise.all(running.map((p) => p.stop()));
    running = [];
  });

  after(async () => {
    await relay.stop();
    await appender.stop();
    await pool.end();
    await database.drop();
  });

  function project(
    apply: (tx: Tx, batch: readonly Incoming[]) => Promise<void> = store,
    { expires = false, ...options }: ProjectOptions = {},
  ): Projection {
    const projection = createProjection({
      kafka,
      logger: silentLogger,
      pool,
      name: 'notes',
      group: `group-${topic}`,
      sources: [source('notes', topic, noteCodec, { compacted: expires })],
      apply,
      deadLetterTopic,
      ...options,
    });
    running.push(projection);
    void projection.start();
    return projection;
  }

  async function store(tx: Tx, batch: readonly Incoming[]): Promise<void> {
    for (const { value, offset, partition } of batch) {
      const { n } = value as Note;
      await tx.query('insert into applied (n, topic_offset, partition) values ($1, $2, $3)', [
        n,
        offset,
        partition,
      ]);
    }
  }

  async function appendNotes(from: number, count: number): Promise<void> {
    const entries = Array.from({ length: count }, (_, i) => ({
      topic,
      key: `k${from + i}`,
      value: note(from + i),
    }));
    await appender.append(entries);
  }

  /**
   * What was applied. An append that was refused and sent again may be on the log twice (design 5),
   * so numbers count once; but no record of the log may have been applied twice.
   */
  async function applied(): Promise<number[]> {
    const { rows } = await pool.query<{ n: number; place: string }>(
      `select n, partition || '/' || topic_offset as place from applied order by n`,
    );
    expect(new Set(rows.map((row) => row.place)).size, 'applied twice').to.equal(rows.length);
    return [...new Set(rows.map((row) => row.n))];
  }

  const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

  it('keeps what it fetched while it gives way, and says how much is left', async () => {
    let givesWay = true;
    await appendNotes(0, 100);
    const projection = project(store, { givesWay: () => givesWay });
    await eventually(() => expect(projection.lag().records).to.be.at.least(100));
    expect(projection.lag().movedAtMs).to.equal(-Infinity);
    await eventually(() => expect(projection.health().ok).to.equal(true));
    expect(await applied()).to.deep.equal([]);
    givesWay = false;
    await eventually(async () => expect(await applied()).to.deep.equal(upTo(100)));
    await eventually(() => expect(projection.lag().records).to.equal(0));
    expect(projection.lag().movedAtMs).to.be.greaterThan(0);
  });

  it('applies every record once, through a stop and a restart', async () => {
    await appendNotes(0, 100);
    const first = project();
    await eventually(async () => expect(await applied()).to.deep.equal(upTo(100)));
    await first.stop();
    await appendNotes(100, 100);
    project();
    await eventually(async () => expect(await applied()).to.deep.equal(upTo(200)));
  });

  it('shares partitions with a second process and takes them back, each record once', async () => {
    project();
    await appendNotes(0, 50);
    await eventually(async () => expect(await applied()).to.have.length(50));
    const second = project();
    await eventually(() => expect(second.partitions().length).to.be.greaterThan(0), {
      deadlineMs: 20_000,
    });
    await appendNotes(50, 50);
    await eventually(async () => expect(await applied()).to.deep.equal(upTo(100)));
    await second.stop();
    await appendNotes(100, 50);
    await eventually(async () => expect(await applied()).to.deep.equal(upTo(150)), {
      deadlineMs: 20_000,
    });
  });

  it('puts a record that is not JSON or breaks its schema aside and goes on (design 6)', async () => {
    await appender.append([
      { topic, key: 'same', value: note(0) },
      { topic, key: 'same', value: 'not json' },
      { topic, key: 'same', value: '{"schemaVersion":1,"n":"seven"}' },
      { topic, key: 'same', value: note(1) },
    ]);
    project();
    await eventually(async () => expect(await applied()).to.deep.equal([0, 1]));
    await eventually(async () => expect(await relay.pending()).to.equal(0));
    const letters: DeadLetterRecord[] = [];
    await scanTopic({
      kafka,
      logger: silentLogger,
      topic: deadLetterTopic,
      codec: deadLetterCodec,
      onRecord: ({ value }) => void (value?.type === 'put-aside' && letters.push(value)),
    });
    expect(letters.map((l) => l.reason)).to.have.members(['not-json', 'schema']);
    expect(letters.every((l) => l.origin.topic === topic && l.origin.key === 'same')).to.equal(
      true,
    );
    expect(letters.some((l) => l.detail.includes('seven'))).to.equal(false);
  });

  it('stops the partition of a record newer than itself and keeps the others going', async () => {
    await appender.append([
      { topic, key: 'a', value: note(0) },
      { topic, key: 'a', value: '{"schemaVersion":2,"n":1}' },
      { topic, key: 'a', value: note(2) },
    ]);
    const projection = project();
    await eventually(() => {
      const states = projection.partitions().map((p) => p.state);
      expect(states).to.include('newer-schema');
    });
    expect(projection.health()).to.deep.include({ ok: false });
    await appender.append(['b', 'c', 'd', 'e'].map((key) => ({ topic, key, value: note(9) })));
    await eventually(async () => expect((await applied()).filter((n) => n === 9)).to.not.be.empty);
    expect(await applied())
      .to.include(0)
      .and.not.include(2);
  });

  it('goes on where the log begins when what it read has expired, and knows another topic still', async () => {
    await appendNotes(0, 60);
    const first = project(store, { expires: true });
    await eventually(async () => expect(await applied()).to.have.length(60));
    await first.stop();
    await expireAll(kafka, topic);
    // Some that it never saw expire as well, and some partitions are left empty.
    await appendNotes(60, 20);
    await expireAll(kafka, topic);
    const between = project(store, { expires: true });
    await eventually(() => expect(between.health()).to.deep.equal({ ok: true }));
    expect(between.lag().records, 'left to read').to.equal(0);
    await between.stop();
    await appender.append([{ topic, key: 'k1', value: note(80) }]);
    const second = project(store, { expires: true });
    await eventually(async () => expect(await applied()).to.include(80), { deadlineMs: 20_000 });
    expect(second.health()).to.deep.equal({ ok: true });
    expect(await applied()).to.have.length(61);
    await second.stop();

    await deleteTopic(kafka, topic);
    await makeTopics(kafka, plainTopic(topic));
    const third = project(store, { expires: true });
    await eventually(() => expect(third.health().detail).to.contain('refused'));
  });

  it('reads no further while its source may not be read, and then goes on where it was', async () => {
    await appendNotes(0, 100);
    let room = 30;
    const asked: string[] = [];
    const mayRead = (source: string) => {
      asked.push(source);
      return room > 0;
    };
    const takeRoom = async (tx: Tx, batch: readonly Incoming[]) => {
      await store(tx, batch);
      room -= batch.length;
    };
    const projection = project(takeRoom, { mayRead, maxBatchRecords: 5 });
    const allHeldBack = ['held-back', 'held-back', 'held-back'];
    const states = () => projection.partitions().map(({ state }) => state);
    await eventually(() => expect(states()).to.deep.equal(allHeldBack));
    const taken = (await applied()).length;
    // Slices that were under way when the last room was taken.
    expect(taken).to.be.within(30, 45);
    expect(projection.health()).to.deep.equal({ ok: true });
    const looks = asked.length;
    await eventually(() => expect(asked.length).to.be.greaterThan(looks + 6));
    expect(await applied()).to.have.length(taken);

    room = Infinity;
    await eventually(async () => expect(await applied()).to.deep.equal(upTo(100)));
    expect(new Set(asked)).to.deep.equal(new Set(['notes']));
  });

  it('holds back from a restart on, and still proves its position before it goes on', async () => {
    await appendNotes(0, 60);
    const first = project();
    await eventually(async () => expect(await applied()).to.deep.equal(upTo(60)));
    await first.stop();
    await appendNotes(60, 60);
    let mayRead = false;
    const second = project(store, { mayRead: () => mayRead });
    await eventually(() => {
      const heldBack = second.partitions().filter(({ state }) => state === 'held-back');
      expect(heldBack).to.have.length(3);
    });
    expect(await applied()).to.have.length(60);
    mayRead = true;
    await eventually(async () => expect(await applied()).to.deep.equal(upTo(120)));
  });

  it('tries a batch that fails again, in smaller pieces, and skips nothing', async () => {
    let broken = true;
    await appendNotes(0, 60);
    const sizes: number[] = [];
    project(async (tx, batch) => {
      sizes.push(batch.length);
      if (broken && batch.some(({ value }) => (value as Note).n === 30)) throw new Error('poison');
      await store(tx, batch);
    });
    // All but the records behind the poisoned one in its partition get through.
    await eventually(() => expect(sizes.filter((s) => s === 1).length).to.be.greaterThan(1));
    expect(await applied()).to.not.include(30);
    broken = false;
    await eventually(async () => expect(await applied()).to.deep.equal(upTo(60)), {
      deadlineMs: 20_000,
    });
  });

  it('goes on when the first batch after a restart fails once', async () => {
    await appendNotes(0, 30);
    const first = project();
    await eventually(async () => expect(await applied()).to.deep.equal(upTo(30)));
    await first.stop();
    await appendNotes(30, 30);
    let failed = 0;
    project(async (tx, batch) => {
      if (failed < 5) {
        failed += 1;
        throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
      }
      await store(tx, batch);
    });
    await eventually(async () => expect(await applied()).to.deep.equal(upTo(60)), {
      deadlineMs: 20_000,
    });
  });

  it('puts a record with a NUL in its key or text, or far too large, aside and goes on', async () => {
    await appender.append([
      { topic, key: 'same', value: note(0) },
      { topic, key: 'same\0', value: 'not json' },
      { topic, key: 'same', value: `not json ${'x'.repeat(900_000)}` },
      { topic, key: 'same', value: note(1) },
    ]);
    project();
    await eventually(async () => expect(await applied()).to.deep.equal([0, 1]));
    await eventually(async () => expect(await relay.pending()).to.equal(0));
  });

  it('refuses a batch of an owner that was fenced while it slept', async () => {
    const partition = { topic, partition: 0 };
    const claim = () =>
      inTransaction(pool, (tx) => claimPositions(tx, 'notes', [partition])).then((positions) =>
        positions.get(`${topic}/0`)!,
      );
    const to = { next: 10n, digest: Buffer.from('x') };
    const sleeper = await claim();
    const successor = await claim();
    const advance = (from: typeof sleeper) =>
      inTransaction(pool, (tx) =>
        advancePositions(tx, 'notes', [{ topic, partition: 0, from, to }]),
      );
    expect(await advance(sleeper)).to.equal(false);
    expect(await advance(successor)).to.equal(true);
    expect(await advance(successor)).to.equal(false);
  });

  it('gives a partition up when fenced, claims it again, and applies nothing twice', async () => {
    const projection = project();
    await appendNotes(0, 30);
    await eventually(async () => expect(await applied()).to.deep.equal(upTo(30)));
    await pool.query('update projection_position set epoch = epoch + 1');
    await appendNotes(30, 30);
    await eventually(() =>
      expect(projection.partitions().map((p) => p.state)).to.include('fenced'),
    );
    await eventually(async () => expect(await applied()).to.deep.equal(upTo(60)), {
      deadlineMs: 20_000,
    });
  });

  it('refuses the stored positions of a deleted and recreated topic, with instructions', async () => {
    await appendNotes(0, 60);
    const first = project();
    await eventually(async () => expect(await applied()).to.deep.equal(upTo(60)));
    await first.stop();
    await deleteTopic(kafka, topic);
    await eventually(() => makeTopics(kafka, plainTopic(topic)));
    await eventually(() => appendNotes(1000, 90), { deadlineMs: 20_000 });
    const second = project();
    await eventually(
      () => {
        const states = second.partitions().map((p) => p.state);
        expect(states).to.deep.equal(['refused', 'refused', 'refused']);
      },
      { deadlineMs: 20_000 },
    );
    expect(second.health().detail).to.match(/recreated.*rebuild this projection/);
    expect(await applied()).to.deep.equal(upTo(60));
  });

  it('refuses to pass over what expired before it was read, also when nothing comes after it', async () => {
    await appendNotes(0, 60);
    const first = project();
    await eventually(async () => expect(await applied()).to.deep.equal(upTo(60)));
    await first.stop();
    await appendNotes(60, 90);
    await expireAll(kafka, topic);
    const second = project();
    await eventually(() => {
      const states = second.partitions().map((p) => p.state);
      expect(states).to.deep.equal(['refused', 'refused', 'refused']);
    });
    expect(second.health().detail).to.match(
      /the log begins at offset \d+, but offset \d+ was not read/,
    );
    expect(await applied()).to.deep.equal(upTo(60));
  });
});

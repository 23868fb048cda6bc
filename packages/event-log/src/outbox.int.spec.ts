import { inTransaction } from '@tributary/runtime/postgres';
import { createDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import type pg from 'pg';
import { type Appender, createAppender } from './appender.ts';
import type { KafkaConnection } from './kafka.ts';
import { awaitRelayed, enqueue, readEnqueued } from './outbox.ts';
import { createRelay, type Relay } from './relay.ts';
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

describe('outbox', () => {
  let kafka: KafkaConnection;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let pool: pg.Pool;
  let appender: Appender;
  let topic: string;
  let relays: Relay[] = [];

  before(async () => {
    kafka = connectTo((await getServers()).kafkaBrokers);
    database = await createDatabase();
    pool = await preparePool(database.url);
    appender = createAppender({ kafka, logger: silentLogger });
    await appender.start();
    await eventually(() => expect(appender.health().ok).to.equal(true));
  });

  beforeEach(async () => {
    topic = `${uniquePrefix()}notes`;
    await makeTopics(kafka, plainTopic(topic));
    // A new partition may refuse its first append, and order holds only while nothing is refused.
    await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        eventually(() => appender.append([{ topic, key: `warm-up-${i}`, value: note(0) }])),
      ),
    );
    await pool.query('truncate outbox');
  });

  afterEach(async () => {
    await Promise.all(relays.map((r) => r.stop()));
    relays = [];
  });

  after(async () => {
    await appender.stop();
    await pool.end();
    await database.drop();
  });

  function relayOn(): Relay {
    const relay = createRelay({ pool, appender, logger: silentLogger });
    relays.push(relay);
    void relay.start();
    return relay;
  }

  async function write(from: number, count: number): Promise<void> {
    const entries = Array.from({ length: count }, (_, i) => ({
      topic,
      key: `k${(from + i) % 7}`,
      value: note(from + i),
    }));
    await inTransaction(pool, (tx) => enqueue(tx, entries));
  }

  async function onTheLog(): Promise<Map<string, number[]>> {
    const found = new Map<string, number[]>();
    await scanTopic({
      kafka,
      logger: silentLogger,
      topic,
      codec: noteCodec,
      // A refused append is sent again and may be on the log twice; the first counts (design 5).
      onRecord: ({ key, value }) => {
        if (key.startsWith('warm-up')) return;
        const numbers = found.get(key) ?? [];
        if (!numbers.includes(value!.n)) found.set(key, [...numbers, value!.n]);
      },
    });
    return found;
  }

  it('appends what a transaction enqueued, in order per key, and empties itself', async () => {
    const relay = relayOn();
    for (let n = 0; n < 700; n += 70) await write(n, 70);
    await eventually(async () => expect(await relay.pending()).to.equal(0));
    for (const [key, numbers] of await onTheLog()) {
      expect(numbers, key).to.deep.equal([...numbers].sort((a, b) => a - b));
      expect(numbers).to.have.length(100);
    }
  });

  it('appends nothing of a transaction that rolled back', async () => {
    const relay = relayOn();
    const failed = inTransaction(pool, async (tx) => {
      await enqueue(tx, [{ topic, key: 'k', value: note(1) }]);
      throw new Error('changed its mind');
    });
    expect(await failed.catch((e: Error) => e.message)).to.equal('changed its mind');
    await write(2, 1);
    await eventually(async () => expect(await relay.pending()).to.equal(0));
    expect([...(await onTheLog()).values()].flat()).to.deep.equal([2]);
  });

  it('tells a transaction what it has enqueued itself, before and after a savepoint', async () => {
    await write(1, 2);
    await inTransaction(pool, async (tx) => {
      await enqueue(tx, [{ topic, key: 'k', value: note(3) }]);
      await tx.query('savepoint half');
      await enqueue(tx, [{ topic, key: 'k', value: null }]);
      await write(4, 2);
      expect(await readEnqueued(tx)).to.deep.equal([
        { topic, key: 'k', value: note(3) },
        { topic, key: 'k', value: null },
      ]);
    });
  });

  it('is looked at by few looks while an answer waits for it in vain', async () => {
    await inTransaction(pool, (tx) => enqueue(tx, [{ topic, key: 'k', value: note(1) }]));
    let looks = 0;
    const db = {
      query: (...asked: unknown[]) => {
        looks += 1;
        return (pool.query as (...all: unknown[]) => unknown).apply(pool, asked);
      },
    } as unknown as Pick<pg.Pool, 'query'>;
    const waited = await awaitRelayed(db, { key: 'k', boundMs: 2_000 });
    expect(waited).to.equal(false);
    expect(looks).to.be.within(2, 20);
    relayOn();
    expect(await awaitRelayed(pool, { key: 'k', boundMs: 10_000 })).to.equal(true);
  });

  it('is emptied by another relay when one stops', async () => {
    const first = relayOn();
    await write(0, 50);
    await eventually(async () => expect(await first.pending()).to.equal(0));
    const second = relayOn();
    await write(50, 50);
    await eventually(async () => expect(await first.pending()).to.equal(0));
    await first.stop();
    await write(100, 50);
    await eventually(async () => expect(await second.pending()).to.equal(0));
    const all = [...(await onTheLog()).values()].flat().sort((a, b) => a - b);
    expect(all).to.deep.equal(Array.from({ length: 150 }, (_, i) => i));
  });

  it('is emptied after all connections to it were cut', async () => {
    const relay = relayOn();
    await write(0, 10);
    await eventually(async () => expect(await relay.pending()).to.equal(0));
    await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where pid <> pg_backend_pid() and datname = current_database()`,
    );
    await eventually(() => write(10, 10));
    await eventually(async () => expect(await relay.pending()).to.equal(0), { deadlineMs: 15_000 });
    expect([...(await onTheLog()).values()].flat()).to.have.length(20);
  });

  it('removes nothing for an acknowledgement of a row that had the same id in a lost database', async () => {
    const gate = Promise.withResolvers<void>();
    let sent = 0;
    const late: Appender = {
      ...appender,
      async append(entries) {
        await appender.append(entries);
        sent += 1;
        await gate.promise;
      },
    };
    const relay = createRelay({ pool, appender: late, logger: silentLogger });
    relays.push(relay);
    await relay.start();
    await write(0, 1);
    await eventually(() => expect(sent).to.equal(1));
    // The server that takes over has never had the row, and gives its id again.
    await pool.query(
      `with lost as (delete from outbox returning id)
       select setval(pg_get_serial_sequence('outbox', 'id'), id, false) from lost`,
    );
    await write(1, 1);
    gate.resolve();
    await eventually(async () => expect(await relay.pending()).to.equal(0));
    expect([...(await onTheLog()).values()].flat().sort()).to.deep.equal([0, 1]);
  });
});

import { inTransaction } from '@tributary/runtime/postgres';
import { runScript, type Script } from '@tributary/runtime/testing';
import { createDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import type pg from 'pg';
import { AppendRefused, type Appender, createAppender, type Entry } from './appender.ts';
import type { KafkaConnection } from './kafka.ts';
import { enqueue } from './outbox.ts';
import { createRelay, type Relay } from './relay.ts';
import { scanTopic } from './scan-topic.ts';
import { losingAnswers } from './testing/losing-answers.ts';
import {
  connectTo,
  makeTopics,
  note,
  noteCodec,
  plainTopic,
  preparePool,
  readOutbox,
  silentLogger,
} from './testing.ts';

/** What becomes of a committed row, whatever becomes of the process that wrote it. */
describe('relay', () => {
  let kafka: KafkaConnection;
  let brokers: string;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let pool: pg.Pool;
  let appender: Appender;
  let topic: string;
  let stops: (() => Promise<unknown>)[] = [];

  before(async () => {
    brokers = (await getServers()).kafkaBrokers;
    kafka = connectTo(brokers);
    database = await createDatabase();
    pool = await preparePool(database.url);
    appender = createAppender({ kafka, logger: silentLogger });
    await appender.start();
    await eventually(() => expect(appender.health().ok).to.equal(true));
  });

  beforeEach(async () => {
    topic = `${uniquePrefix()}notes`;
    await makeTopics(kafka, plainTopic(topic));
    const warmUps = Array.from({ length: 12 }, (_, i) => entryOf(-1, `warm-up-${i}`));
    await Promise.all(warmUps.map((entry) => eventually(() => appender.append([entry]))));
  });

  afterEach(async () => {
    for (const stop of stops.reverse()) await stop();
    stops = [];
    await pool.query('truncate outbox');
  });

  after(async () => {
    await appender.stop();
    await pool.end();
    await database.drop();
  });

  function entryOf(n: number, key = `k${n % 7}`): Entry {
    return { topic, key, value: note(n) };
  }

  function entries(from: number, count: number): Entry[] {
    return Array.from({ length: count }, (_, i) => entryOf(from + i));
  }

  async function write(from: number, count: number, by = pool): Promise<void> {
    await inTransaction(by, (tx) => enqueue(tx, entries(from, count)));
  }

  /** Rows that nobody sends are sent from the table soon, or never. */
  async function relayOn(
    options: { appender?: Appender; pool?: pg.Pool; left?: 'soon' | 'never' } = {},
  ): Promise<Relay> {
    const { left = 'soon', ...given } = options;
    const relay = createRelay({
      pool,
      appender,
      logger: silentLogger,
      pollMs: 50,
      leftAfterMs: left === 'soon' ? 200 : 3_600_000,
      ...given,
    });
    stops.push(() => relay.stop());
    await relay.start();
    return relay;
  }

  /** Says what is appended; `instead` has it done otherwise. */
  function spyOn(
    instead: (append: Appender['append'], entries: readonly Entry[]) => Promise<void> = (go, all) =>
      go(all),
  ): Appender & { seen: number[][] } {
    const seen: number[][] = [];
    const append: Appender['append'] = (all) => {
      seen.push(all.map(({ value }) => (JSON.parse(value!) as { n: number }).n));
      return instead((own) => appender.append(own), all);
    };
    return { ...appender, append, seen };
  }

  async function emptied(relay: Relay, deadlineMs = 15_000): Promise<void> {
    await eventually(async () => expect(await relay.pending()).to.equal(0), { deadlineMs });
  }

  /** The numbers, and how often each. */
  async function timesOnTheLog(): Promise<Map<number, number>> {
    const times = new Map<number, number>();
    const onRecord = ({ value }: { value: { n: number } | null }) => {
      if (value && value.n >= 0) times.set(value.n, (times.get(value.n) ?? 0) + 1);
    };
    await scanTopic({ kafka, logger: silentLogger, topic, codec: noteCodec, onRecord });
    return times;
  }

  /** Whatever is there twice: a slow broker alone can bring that about. */
  async function onTheLog(): Promise<number[]> {
    return [...(await timesOnTheLog()).keys()].sort((a, b) => a - b);
  }

  /**
   * A process that writes one row and then stays before or behind the append of it, until it gets
   * SIGUSR2.
   */
  async function startWriter(staysAt: 'before' | 'behind', all: readonly Entry[]): Promise<Script> {
    const url = (name: string) => JSON.stringify(import.meta.resolve(name));
    const stay = `console.log('stays'); await told;`;
    const writer = runScript(
      `import { inTransaction } from ${url('@tributary/runtime/postgres')};
       import { createAppender } from ${url('./appender.ts')};
       import { enqueue } from ${url('./outbox.ts')};
       import { createRelay } from ${url('./relay.ts')};
       import { connectTo, preparePool, silentLogger as logger } from ${url('./testing.ts')};
       const told = new Promise((resolve) => process.on('SIGUSR2', resolve));
       const pool = await preparePool(${JSON.stringify(database.url)});
       const log = createAppender({ kafka: connectTo(${JSON.stringify(brokers)}), logger });
       await log.start();
       while (!log.health().ok) await new Promise((resolve) => setTimeout(resolve, 20));
       // Who was stopped takes the brokers for dead at first.
       async function surely(entries) {
         const later = () => new Promise((resolve) => setTimeout(resolve, 50));
         await log.append(entries).catch(() => later().then(() => surely(entries)));
       }
       async function append(entries) {
         ${staysAt === 'before' ? `${stay} await surely(entries);` : ''}
         ${staysAt === 'behind' ? `await surely(entries); ${stay}` : ''}
         console.log('goes on');
       }
       const relay = createRelay({ pool, appender: { ...log, append }, logger });
       await relay.start();
       await inTransaction(pool, (tx) => enqueue(tx, ${JSON.stringify(all)}));`,
    );
    stops.push(async () => {
      writer.process.kill('SIGKILL');
      await writer.ended;
    });
    const stays = () => {
      expect(writer.output.stderr).to.equal('');
      expect(writer.output.stdout).to.contain('stays');
    };
    await eventually(stays, { deadlineMs: 40_000 });
    return writer;
  }

  it('sends what a transaction enqueued as one append of one row, at its commit', async () => {
    const spy = spyOn();
    const relay = await relayOn({ appender: spy, left: 'never' });
    await inTransaction(pool, async (tx) => {
      await enqueue(tx, entries(0, 50));
      const { rows } = await tx.query('select from outbox');
      expect(rows).to.have.length(1);
      expect(spy.seen).to.have.length(0);
    });
    expect(spy.seen.map((all) => all.length)).to.deep.equal([50]);
    await emptied(relay);
    expect(await onTheLog()).to.have.length(50);
  });

  it('sends what a process has not when it is killed between commit and append', async () => {
    const writer = await startWriter('before', entries(0, 20));
    writer.process.kill('SIGKILL');
    expect((await writer.ended).signal).to.equal('SIGKILL');
    expect(await onTheLog()).to.deep.equal([]);
    await emptied(await relayOn());
    expect(await onTheLog()).to.deep.equal(numbers(20));
  });

  it('sends again what a process sent when it is killed between append and removal', async () => {
    const writer = await startWriter('behind', entries(0, 3));
    writer.process.kill('SIGKILL');
    expect((await writer.ended).signal).to.equal('SIGKILL');
    expect(await onTheLog()).to.deep.equal([0, 1, 2]);
    await emptied(await relayOn());
    const times = await timesOnTheLog();
    expect([...times.keys()].sort()).to.deep.equal([0, 1, 2]);
    for (const [n, often] of times) expect(often, String(n)).to.be.at.least(2);
  });

  it('sends what a stopped process holds; that sends only copies when it goes on', async () => {
    const writer = await startWriter('before', entries(0, 5));
    writer.process.kill('SIGSTOP');
    const relay = await relayOn();
    await emptied(relay);
    expect(await onTheLog()).to.deep.equal(numbers(5));
    await write(5, 1);
    await emptied(relay);
    writer.process.kill('SIGUSR2');
    writer.process.kill('SIGCONT');
    await eventually(() => expect(writer.output.stdout).to.contain('goes on'));
    await eventually(async () => {
      const times = await timesOnTheLog();
      for (const n of numbers(5)) expect(times.get(n), String(n)).to.be.at.least(2);
    });
    expect(await onTheLog()).to.deep.equal(numbers(6));
    expect(await relay.pending()).to.equal(0);
  });

  it('finds a row whose commit was never answered', async () => {
    const losing = await losingAnswers(database.url);
    stops.push(() => losing.stop());
    const unheard = await preparePool(losing.url);
    stops.push(() => unheard.end());
    const spy = spyOn();
    const relay = await relayOn({ pool: unheard, appender: spy });
    const committed = inTransaction(unheard, async (tx) => {
      await enqueue(tx, entries(0, 4));
      losing.loseNextCommit();
    });
    const failed = await committed.then(() => 'answered', String);
    expect(failed).to.match(/terminated|ECONNRESET|closed/);
    expect(spy.seen, 'not from memory').to.deep.equal([]);
    await emptied(relay);
    expect(await onTheLog()).to.deep.equal(numbers(4));
  });

  it('sends nothing that a savepoint took back, or a failed statement', async () => {
    const spy = spyOn();
    const relay = await relayOn({ appender: spy });
    await inTransaction(pool, async (tx) => {
      await enqueue(tx, [entryOf(1)]);
      await tx.query('savepoint half');
      await enqueue(tx, [entryOf(2)]);
      await tx.query('rollback to savepoint half');
      await enqueue(tx, [entryOf(3)]);
    });
    const failed = inTransaction(pool, async (tx) => {
      await enqueue(tx, [entryOf(4)]);
      await tx.query('select 1 / 0').catch(() => undefined);
    });
    expect(await failed.catch(String)).to.match(/rolled back/);
    expect(spy.seen[0], 'what no savepoint can take back goes at once').to.deep.equal([1]);
    await emptied(relay);
    expect(new Set(spy.seen.flat())).to.deep.equal(new Set([1, 3]));
    expect(await onTheLog()).to.deep.equal([1, 3]);
  });

  it('has each of two processes send what it has committed itself', async () => {
    const second = await preparePool(database.url);
    stops.push(() => second.end());
    const [one, other] = [spyOn(), spyOn()];
    const relay = await relayOn({ appender: one, left: 'never' });
    await relayOn({ appender: other, pool: second, left: 'never' });
    await Promise.all(
      numbers(20).flatMap((n) => [write(n * 10, 10), write(1_000 + n * 10, 10, second)]),
    );
    await emptied(relay);
    expect(new Set(one.seen.flat())).to.deep.equal(new Set(numbers(200)));
    expect(new Set(other.seen.flat())).to.deep.equal(new Set(numbers(200).map((n) => 1_000 + n)));
    expect(await onTheLog()).to.have.length(400);
  });

  it('keeps no more than 10,000 records in memory while the log is away, and loses none', async () => {
    const gate = Promise.withResolvers<void>();
    let away = true;
    const spy = spyOn(async (append, all) => {
      if (!away) return append(all);
      await gate.promise;
      throw new AppendRefused('away');
    });
    const fromMemory = () => spy.seen.filter((row) => row.length === 1_000);
    const relay = await relayOn({ appender: spy });
    for (let n = 0; n < 12; n++) await write(n * 1_000, 1_000);
    expect(fromMemory()).to.have.length(10);
    away = false;
    gate.resolve();
    await emptied(relay, 40_000);
    expect(await onTheLog()).to.deep.equal(numbers(12_000));
    await write(12_000, 1_000);
    expect(fromMemory(), 'there is room again').to.have.length(11);
  });

  it('does not send again what the log has of a row, and reports what it refuses', async () => {
    let sick = true;
    const spy = spyOn((_, all) =>
      sick && all.some(({ key }) => key === 'sick')
        ? Promise.reject(new AppendRefused('no leader'))
        : Promise.resolve(),
    );
    const relay = await relayOn({ appender: spy });
    const row = [entryOf(1, 'well'), entryOf(2, 'sick'), entryOf(3, 'well')];
    await inTransaction(pool, (tx) => enqueue(tx, row));
    await write(10, 1);
    await eventually(() =>
      expect(relay.health()).to.deep.equal({
        ok: false,
        detail: '1 records of outbox are refused again and again',
      }),
    );
    expect(await readOutbox(pool)).to.deep.equal([row[1]]);
    sick = false;
    await emptied(relay);
    expect(relay.health()).to.deep.equal({ ok: true });
    const triesOf = (n: number) => spy.seen.flat().filter((one) => one === n).length;
    expect([triesOf(1), triesOf(3)], 'once from memory, once from the table').to.eql([2, 2]);
    expect(triesOf(2)).to.be.at.least(6);
  });

  it('sends rows of the release before, whose processes pass over rows of this one', async () => {
    await write(0, 10);
    const older = await pool.query(
      'select from outbox where lane = any($1) and id <> all($2::bigint[]) order by id limit 10',
      [[0, 1, 2, 3], []],
    );
    expect(older.rows).to.deep.equal([]);
    await pool.query(
      `insert into outbox (lane, topic, key, value)
       select n % 4, $1, 'k', '{"schemaVersion":1,"n":' || n || '}' from generate_series(10, 14) n`,
      [topic],
    );
    const relay = await relayOn();
    expect(await relay.pending()).to.equal(15);
    await emptied(relay);
    expect(await onTheLog()).to.deep.equal(numbers(15));
  });

  it('measures how many records wait in its table, whoever wrote them, and how old they are', async () => {
    await write(0, 10);
    await pool.query("update outbox set created_at = now() - interval '100 seconds'");
    await write(10, 2);
    const relay = createRelay({ pool, appender, logger: silentLogger });
    const read = async (name: string) =>
      (await relay.gauges[`tributary_outbox_${name}`]?.read()) as {
        labels: object;
        value: number;
      }[];
    expect(await read('records')).to.deep.equal([{ labels: { outbox: 'outbox' }, value: 12 }]);
    expect((await read('oldest_seconds'))[0]?.value).to.be.within(100, 160);
    await pool.query('truncate outbox');
    expect((await read('records'))[0]?.value).to.equal(0);
    expect((await read('oldest_seconds'))[0]?.value).to.equal(0);
  });

  it('sends all that was committed before it stops, and nothing after', async () => {
    const gate = Promise.withResolvers<void>();
    const spy = spyOn((append, all) => gate.promise.then(() => append(all)));
    const relay = await relayOn({ appender: spy, left: 'never' });
    await write(0, 5);
    const stopped = relay.stop();
    await write(5, 5);
    gate.resolve();
    await stopped;
    expect((await readOutbox(pool)).map(({ value }) => value)).to.deep.equal(
      entries(5, 5).map(({ value }) => value),
    );
    expect(await onTheLog()).to.deep.equal(numbers(5));
  });
});

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cutLastBatch, repeatBatches } from '@tributary/testkit/cut-log';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { startOwned } from '@tributary/testkit/owned-servers';
import type { TestServer } from '@tributary/testkit/test-server';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import type pg from 'pg';
import { createAppender } from './appender.ts';
import { connectTo, makeTopics, note, plainTopic, preparePool, silentLogger } from './testing.ts';
import type { NoteReaderReport } from './testing/note-reader.ts';
import { readWatermarks } from './watermarks.ts';

/**
 * Kafka dies and comes back without the last batch, which a reader had applied already, and others
 * write in its place before that reader looks again: from its position on everything seems to be in
 * order (decision 26). The reader sleeps meanwhile, or it would often notice and start anew.
 */
describe('a projection of a log that lost its end and grew again', function () {
  this.timeout(120_000);
  const deadline = { deadlineMs: 40_000 };
  let server: TestServer;
  let database: TestDatabase;
  let pool: pg.Pool;
  let topic: string;
  let reader: ChildProcess | undefined;
  let report: NoteReaderReport | undefined;

  before(async () => {
    [server, database] = await Promise.all([startOwned('kafka'), createDatabase()]);
    pool = await preparePool(database.url);
    await pool.query('create table applied (n integer)');
  });

  beforeEach(async () => {
    topic = `${uniquePrefix()}notes`;
    await makeTopics(connectTo(server.address), plainTopic(topic, 1));
    await pool.query('truncate applied, projection_position');
    startReader();
    await append(0, 1, 2);
    await applied(0, 1, 2);
  });

  afterEach(async () => {
    if (reader?.exitCode !== null || reader.signalCode !== null) return;
    reader.kill('SIGKILL');
    await once(reader, 'exit');
  });

  after(async () => {
    await pool?.end();
    await database?.drop();
    await server?.stop();
  });

  function startReader(): void {
    reader = fork(fileURLToPath(new URL('testing/note-reader.ts', import.meta.url)), {
      env: { ...process.env, BROKERS: server.address, DATABASE: database.url, TOPIC: topic },
    });
    report = undefined;
    reader.on('message', (latest: NoteReaderReport) => (report = latest));
  }

  /** Each in a batch of its own. */
  async function append(...numbers: number[]): Promise<void> {
    const kafka = connectTo(server.address);
    const appender = createAppender({ kafka, logger: silentLogger });
    await appender.start();
    for (const n of numbers) {
      await eventually(() => appender.append([{ topic, key: 'k', value: note(n) }]), deadline);
    }
    await appender.stop();
  }

  async function applied(...numbers: number[]): Promise<void> {
    await eventually(async () => {
      const { rows } = await pool.query<{ n: number }>('select n from applied order by n');
      expect(rows.map(({ n }) => n)).to.deep.equal(numbers);
    }, deadline);
  }

  async function whileReaderSleeps(work: () => Promise<void>): Promise<void> {
    reader!.kill('SIGSTOP');
    await work();
    reader!.kill('SIGCONT');
    report = undefined;
  }

  async function loseLastBatch(): Promise<void> {
    await server.kill();
    expect(await cutLastBatch(server, { topic, partition: 0 })).to.equal(1);
    await server.restart();
  }

  async function expectEnd(offset: bigint): Promise<void> {
    const marks = await readWatermarks(connectTo(server.address), [topic]);
    expect(marks.get(`${topic}/0`)?.high).to.equal(offset);
  }

  async function expectRefused(): Promise<void> {
    await eventually(() => {
      expect(report?.states).to.deep.equal(['refused']);
      expect(report?.health.detail).to.match(/the record at offset 2 is not the one applied/);
    }, deadline);
    await applied(0, 1, 2);
  }

  it('refuses the partition when the log has grown past its position', async () => {
    await whileReaderSleeps(async () => {
      await loseLastBatch();
      await append(10, 11);
      await expectEnd(4n);
    });
    await expectRefused();
  });

  it('refuses it without any further record when the log ends where it did', async () => {
    await whileReaderSleeps(async () => {
      await loseLastBatch();
      await append(10);
      await expectEnd(3n);
    });
    await expectRefused();
  });

  it('goes on, by itself, where a full disk has left a batch several times at one offset', async () => {
    await whileReaderSleeps(async () => {
      await append(3);
      await server.kill();
      await repeatBatches(server, { topic, partition: 0 }, [3, 3]);
      await server.restart();
      await expectEnd(4n);
    });
    await applied(0, 1, 2, 3, 3, 3);
    await append(4);
    await applied(0, 1, 2, 3, 3, 3, 4);
    await eventually(() => expect(report?.health).to.deep.equal({ ok: true }), deadline);
  });

  it('goes on where the last batch that it applied is there several times', async () => {
    reader!.kill('SIGKILL');
    await once(reader!, 'exit');
    await server.kill();
    await repeatBatches(server, { topic, partition: 0 }, [1, 2]);
    await server.restart();
    await append(3);
    startReader();
    await eventually(() => expect(report?.health).to.deep.equal({ ok: true }), deadline);
    await applied(0, 1, 2, 2, 3);
  });

  it('goes on when Kafka was killed and has lost nothing', async () => {
    await whileReaderSleeps(async () => {
      await server.kill();
      await server.restart();
      await append(3);
    });
    await applied(0, 1, 2, 3);
    await eventually(() => expect(report?.health).to.deep.equal({ ok: true }), deadline);
  });
});

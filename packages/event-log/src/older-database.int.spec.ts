import type { Tx } from '@tributary/runtime/postgres';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type pg from 'pg';
import { createCatchUp } from './catch-up.ts';
import type { Incoming } from './projection.ts';
import { note } from './testing.ts';
import { type NoteLog, startNoteLog } from './testing/note-log.ts';

/**
 * The database goes back in time under a process that runs on, and nothing new comes on the log
 * (decision 25). What was lost is read again, or nothing is read any more, as the owner wishes.
 */
describe('a projection whose database is older than it was', () => {
  const deadline = { deadlineMs: 20_000 };
  let log: NoteLog;
  let pool: pg.Pool;
  let topic: string;
  let mayRead: boolean;

  before(async () => {
    log = await startNoteLog();
    ({ pool } = log);
    // A record applied twice breaks the key; one that the log holds twice, as its first
    // acknowledgement was lost, does not.
    await pool.query(
      'create table applied (n integer, partition integer, at bigint, primary key (partition, at))',
    );
    await pool.query('create table kept_applied (like applied)');
    await pool.query('create table kept_position (like projection_position)');
  });

  beforeEach(async () => {
    mayRead = true;
    topic = await log.newTopic();
    await pool.query('truncate applied, projection_position, kept_applied, kept_position');
  });

  afterEach(() => log.stopProjections());
  after(() => log?.stop());

  const start = (whenOlder: 'read-again' | 'stand-still' = 'read-again', watchMs = 100) =>
    log.project(topic, { name: 'notes', apply, mayRead: () => mayRead, whenOlder, watchMs });

  async function apply(tx: Tx, batch: readonly Incoming[]): Promise<void> {
    await tx.query(
      'insert into applied (n, partition, at) select * from unnest($1::int[], $2::int[], $3::bigint[])',
      [
        batch.map(({ value }) => (value as { n: number }).n),
        batch.map(({ partition }) => partition),
        batch.map(({ offset }) => offset),
      ],
    );
  }

  async function append(from: number, to: number): Promise<void> {
    const numbers = Array.from({ length: to - from }, (_, i) => from + i);
    await log.appender.append(numbers.map((n) => ({ topic, key: `k${n}`, value: note(n) })));
  }

  async function applied(): Promise<number[]> {
    const { rows } = await pool.query<{ n: number }>('select distinct n from applied order by n');
    return rows.map(({ n }) => n);
  }

  async function expectApplied(count: number): Promise<void> {
    const all = Array.from({ length: count }, (_, n) => n);
    await eventually(async () => expect(await applied()).to.deep.equal(all), deadline);
  }

  const backUp = () =>
    pool.query(`insert into kept_applied select * from applied;
      insert into kept_position select * from projection_position`);

  /** At once, as a standby takes over that lags. */
  const fallBack = () =>
    pool.query(`begin;
      truncate applied, projection_position;
      insert into applied select * from kept_applied;
      insert into projection_position select * from kept_position;
      commit`);

  it('reads again what the database has lost, without anything new on the log', async () => {
    const projection = await start();
    await append(0, 30);
    await expectApplied(30);
    await backUp();
    await append(30, 60);
    await expectApplied(60);
    expect(projection.setbacks()).to.equal(0);
    await fallBack();
    await expectApplied(60);
    expect(projection.setbacks()).to.equal(1);
    await eventually(() => expect(projection.health()).to.deep.equal({ ok: true }), deadline);
    await append(60, 70);
    await expectApplied(70);
  });

  it('reads again what was lost twice before anybody looked again', async () => {
    const projection = await start('read-again', 1_500);
    await append(0, 30);
    await expectApplied(30);
    await backUp();
    await append(30, 60);
    await expectApplied(60);
    for (const setbacks of [1, 2, 3]) {
      await fallBack();
      // What was lost is read again long before the next look.
      await eventually(
        async () => {
          expect(projection.setbacks()).to.equal(setbacks);
          expect(await applied()).to.have.length(60);
        },
        { ...deadline, everyMs: 5 },
      );
    }
    await eventually(() => expect(projection.health()).to.deep.equal({ ok: true }), deadline);
    await expectApplied(60);
  });

  it('reads everything again when the tables were emptied', async () => {
    await start();
    await append(0, 30);
    await expectApplied(30);
    await fallBack();
    await expectApplied(30);
  });

  it('reads again in each of two processes, each record once', async () => {
    const two = [await start(), await start()];
    await eventually(() => {
      for (const one of two) expect(one.partitions()).to.not.deep.equal([]);
    }, deadline);
    await append(0, 30);
    await expectApplied(30);
    await backUp();
    await append(30, 60);
    await expectApplied(60);
    await fallBack();
    await expectApplied(60);
  });

  it('has not caught up any more until it has read again', async () => {
    const projection = await start();
    await append(0, 30);
    await expectApplied(30);
    const { kafka } = log;
    const caughtUp = createCatchUp({ kafka, pool, name: 'notes', projection, topics: [topic] });
    await eventually(async () => expect(await caughtUp()).to.equal(true));
    await backUp();
    await append(30, 60);
    await expectApplied(60);
    mayRead = false;
    await fallBack();
    await eventually(() => expect(projection.setbacks()).to.equal(1), deadline);
    expect(await caughtUp()).to.equal(false);
    mayRead = true;
    await eventually(async () => expect(await caughtUp()).to.equal(true), deadline);
    await expectApplied(60);
  });

  it('leaves its group at a stop while a look hangs', async () => {
    const projection = await start();
    await append(0, 30);
    await expectApplied(30);
    const client = await pool.connect();
    await client.query('begin; lock table projection_position in access exclusive mode');
    await eventually(async () => {
      const { rows } = await client.query(
        `select 1 from pg_locks where not granted
           and database = (select oid from pg_database where datname = current_database())`,
      );
      expect(rows).to.not.deep.equal([]);
    });
    const stopping = projection.stop();
    try {
      await eventually(() => expect(projection.health().detail).to.match(/not joined/));
    } finally {
      await client.query('rollback');
      client.release();
    }
    await stopping;
  });

  it('reads nothing more when it is to stand still, and says so', async () => {
    const projection = await start('stand-still');
    await append(0, 30);
    await expectApplied(30);
    await backUp();
    await append(30, 60);
    await expectApplied(60);
    await fallBack();
    expect(await projection.isIntact()).to.equal(false);
    await eventually(() => expect(projection.health().ok).to.equal(false), deadline);
    await append(60, 90);
    const states = () => projection.partitions().map(({ state }) => state);
    await eventually(() => expect(new Set(states())).to.deep.equal(new Set(['claiming'])));
    expect(await projection.isIntact()).to.equal(false);
    expect(await applied()).to.have.length(30);
    expect(projection.setbacks()).to.equal(0);
  });
});

import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { createCatchUp } from './catch-up.ts';
import type { Projection } from './projection.ts';
import { expireAll, note } from './testing.ts';
import { keyOfTwo, type NoteLog, startNoteLog } from './testing/note-log.ts';

describe('catch-up', () => {
  const deadline = { deadlineMs: 20_000 };
  let log: NoteLog;
  let topic: string;

  before(async () => {
    log = await startNoteLog();
  });
  beforeEach(async () => {
    topic = await log.newTopic(2);
  });
  afterEach(() => log.stopProjections());
  after(() => log?.stop());

  const catchUpOf = (projection: Projection, expiring: readonly string[] = []) =>
    createCatchUp({
      expiring,
      ...{ kafka: log.kafka, pool: log.pool },
      name: topic,
      projection,
      topics: [topic],
    });

  const states = (projections: readonly Projection[]) =>
    projections.flatMap((one) => one.partitions().map(({ state }) => state));

  /** Appends a record of a schema that no reader here knows. */
  const appendNewer = (partition: number) =>
    log.appender.append([
      { topic, key: keyOfTwo(topic, partition), value: '{"schemaVersion":2,"n":1}' },
    ]);

  it('does not wait for a partition that another process had to stop', async () => {
    const two = [await log.project(topic), await log.project(topic)];
    await eventually(() => {
      for (const one of two) expect(one.partitions()).to.have.length(1);
    }, deadline);
    // What the one holds is stopped, and what the other holds as well.
    for (const partition of [0, 1]) await appendNewer(partition);
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
    const older = await log.project(topic);
    await appendNewer(0);
    await eventually(() => expect(states([older])).to.include('newer-schema'), deadline);
    const caughtUp = catchUpOf(older);
    await eventually(async () => expect(await caughtUp()).to.equal(true), deadline);
    await older.stop();

    const next = await log.project(topic, { mayRead: () => false });
    const hasCaughtUp = catchUpOf(next);
    await eventually(() => expect(states([next])).to.include('held-back'), deadline);
    expect(await hasCaughtUp()).to.equal(false);
  });

  it('knows for how long nothing of what it waits for was read, by whoever', async () => {
    let mayRead = false;
    await log.appender.append([{ topic, key: 'a', value: '{"schemaVersion":1,"n":1}' }]);
    const projection = await log.project(topic, { mayRead: () => mayRead });
    const caughtUp = catchUpOf(projection);
    expect(caughtUp.stillMs()).to.equal(0);
    const standsFor = (ms: number) => async () => {
      await caughtUp();
      expect(caughtUp.stillMs()).to.be.greaterThan(ms);
    };
    await eventually(standsFor(1_000), deadline);
    const before = caughtUp.stillMs();
    mayRead = true;
    await eventually(async () => expect(await caughtUp()).to.equal(true), deadline);
    expect(caughtUp.stillMs()).to.be.lessThan(before);
  });

  it('does not wait for a partition that was stopped after the backup its database was put back from', async () => {
    const first = await log.project(topic);
    await eventually(() => expect(states([first])).to.deep.equal(['running', 'running']), deadline);
    await log.pool.query(`create table kept as select * from projection_position`);
    await first.stop();

    const second = await log.project(topic, { alertMs: 100 });
    await appendNewer(0);
    await eventually(() => expect(states([second])).to.include('newer-schema'), deadline);
    const caughtUp = catchUpOf(second);
    await eventually(async () => expect(await caughtUp()).to.equal(true), deadline);
    // All positions are what they were, so nothing shows that the database is older.
    await log.pool.query(`begin; truncate projection_position;
      insert into projection_position select * from kept; commit`);
    const hasCaughtUp = catchUpOf(second);
    await eventually(async () => expect(await hasCaughtUp()).to.equal(true), deadline);
    expect(second.setbacks()).to.equal(0);
  });

  it('does not take for read what expired before it was, with nothing behind it', async () => {
    const first = await log.project(topic);
    const append = (n: number) => log.appender.append([{ topic, key: 'a', value: note(n) }]);
    await append(0);
    const readAll = catchUpOf(first);
    await eventually(async () => expect(await readAll()).to.equal(true), deadline);
    await first.stop();
    await append(1);
    await expireAll(log.kafka, topic);

    // Asked before anybody looks at the partition, and after it was refused.
    const unclaimed = catchUpOf(first);
    expect(await unclaimed()).to.equal(false);
    const second = await log.project(topic);
    await eventually(() => expect(states([second])).to.include('refused'), deadline);
    await eventually(async () => expect(await unclaimed()).to.equal(true), deadline);
    expect(unclaimed.unread()).to.have.length(1);
    const expiring = catchUpOf(second, [topic]);
    await eventually(async () => expect(await expiring()).to.equal(true), deadline);
    expect(expiring.unread()).to.deep.equal([]);
  });
});

import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { note } from './testing.ts';
import { keyOfTwo, type NoteLog, startNoteLog } from './testing/note-log.ts';
import type { Projection } from './projection.ts';

describe('the lag of a consumer group', function () {
  this.timeout(90_000);
  let log: NoteLog;
  let topic: string;

  before(async () => {
    log = await startNoteLog();
  });
  beforeEach(async () => {
    topic = await log.newTopic(2);
  });
  afterEach(() => log.stopProjections());
  after(() => log.stop());

  const append = (n: number, partition: number) =>
    log.appender.append([{ topic, key: keyOfTwo(topic, partition), value: note(n) }]);
  const rowsOf = async (projection: Projection, name: string) =>
    (await projection.gauges[`tributary_consumer_${name}`]?.read()) as {
      labels: Record<string, string>;
      value: number;
    }[];
  const lagOf = async (projection: Projection) =>
    (await rowsOf(projection, 'lag')).map(({ value }) => value);
  const held = (projection: Projection) => projection.partitions().length;

  it('is what is on the log and not applied, the same from each replica', async () => {
    let mayRead = true;
    const changes = { mayRead: () => mayRead };
    const [one, other] = [await log.project(topic, changes), await log.project(topic, changes)];
    await append(1, 0);
    await append(2, 1);
    await eventually(() => expect([held(one), held(other)]).to.deep.equal([1, 1]), {
      deadlineMs: 40_000,
    });
    await eventually(async () => expect(await lagOf(one)).to.deep.equal([0]));
    mayRead = false;
    for (let n = 0; n < 6; n++) await append(n, n % 2);
    await eventually(async () => {
      expect(await lagOf(one)).to.deep.equal([6]);
      expect(await lagOf(other)).to.deep.equal([6]);
    });
    expect(await rowsOf(one, 'lag')).to.deep.equal([
      { labels: { group: `group-${topic}`, topic, generation: '', live: 'true' }, value: 6 },
    ]);
    mayRead = true;
    await eventually(async () => expect(await lagOf(other)).to.deep.equal([0]));
  });

  it('counts partitions that nobody has begun to read, and nothing twice', async () => {
    for (let n = 0; n < 5; n++) await append(n, n % 2);
    const projection = await log.project(topic, { mayRead: () => false });
    expect(await lagOf(projection)).to.deep.equal([5]);
    expect((await rowsOf(projection, 'live_lag')).map(({ value }) => value)).to.deep.equal([5]);
    await eventually(() => expect(held(projection)).to.equal(2), { deadlineMs: 40_000 });
    expect(await lagOf(projection)).to.deep.equal([5]);
  });

  it('is told by generation and by whether that is live, as it is when somebody asks', async () => {
    let live = false;
    const projection = await log.project(topic, { generation: 2, isLive: () => live });
    const labels = async () => (await rowsOf(projection, 'lag')).map((row) => row.labels);
    expect(await labels()).to.deep.equal([
      { group: `group-${topic}`, topic, generation: '2', live: 'false' },
    ]);
    expect(await rowsOf(projection, 'live_lag')).to.deep.equal([]);
    live = true;
    expect((await labels())[0]).to.include({ generation: '2', live: 'true' });
    expect(await rowsOf(projection, 'live_lag')).to.deep.equal([
      { labels: { group: `group-${topic}` }, value: 0 },
    ]);
  });

  it('stays with a partition that somebody has to repair, which is counted too', async () => {
    const projection = await log.project(topic);
    const poison = JSON.stringify({ schemaVersion: 99, n: 1 });
    await log.appender.append([{ topic, key: keyOfTwo(topic, 0), value: poison }]);
    await append(2, 0);
    await append(3, 1);
    await eventually(async () => {
      const [stopped] = await rowsOf(projection, 'stopped_partitions');
      expect(stopped?.value).to.equal(1);
      expect(await lagOf(projection)).to.deep.equal([2]);
    });
  });

  it('has no line while the brokers or the database cannot be asked', async () => {
    const projection = await log.project(topic);
    expect(await lagOf(projection)).to.deep.equal([0]);
    await projection.stop();
    expect(await lagOf(projection)).to.deep.equal([]);
    expect(await rowsOf(projection, 'live_lag')).to.deep.equal([]);
  });
});

describe('the age of records', function () {
  this.timeout(90_000);
  let log: NoteLog;
  before(async () => {
    log = await startNoteLog();
  });
  after(() => log.stop());

  it('is measured when they are committed, of the live generation only', async () => {
    const topic = await log.newTopic(2);
    const observed: { live: boolean; seconds: number; labels: object }[] = [];
    let live = false;
    let applied = 0;
    const projection = await log.project(topic, {
      generation: 2,
      isLive: () => live,
      onCommitted: (batch) => void (applied += batch.length),
    });
    projection.durations['tributary_consumer_delay_seconds']?.follow((seconds, labels) => {
      observed.push({ live, seconds, labels });
    });
    const append = (n: number) =>
      log.appender.append([{ topic, key: keyOfTwo(topic, 0), value: note(n) }]);
    await append(1);
    await eventually(() => expect(applied).to.equal(1), { deadlineMs: 40_000 });
    live = true;
    await append(2);
    await eventually(() => expect(applied).to.equal(2));
    expect(observed).to.have.length(1);
    expect(observed[0]).to.deep.include({ live: true, labels: { group: `group-${topic}`, topic } });
    expect(observed[0]?.seconds).to.be.within(0, 60);
  });
});

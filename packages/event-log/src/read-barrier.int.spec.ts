import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import { type Appender, createAppender } from './appender.ts';
import type { KafkaConnection } from './kafka.ts';
import { createReadBarrier } from './read-barrier.ts';
import { createTopicReader } from './read-topic.ts';
import { connectTo, makeTopics, note, noteCodec, plainTopic, silentLogger } from './testing.ts';
import { readWatermarks } from './watermarks.ts';

describe('read barrier', () => {
  let kafka: KafkaConnection;
  let appender: Appender;
  let topic: string;

  before(async () => {
    kafka = connectTo((await getServers()).kafkaBrokers);
    appender = createAppender({ kafka, logger: silentLogger, deadlineMs: 30_000 });
    await appender.start();
    await eventually(() => expect(appender.health().ok).to.equal(true));
  });
  beforeEach(async () => {
    topic = `${uniquePrefix()}notes`;
    await makeTopics(kafka, plainTopic(topic));
  });
  after(() => appender?.stop());

  const put = (n: number) => appender.append([{ topic, key: `k${n}`, value: note(n) }]);

  it('waits for a reader that is held up, for what was there when it was asked and no more', async () => {
    let positions = new Map<string, bigint>();
    let looks = 0;
    const barrier = createReadBarrier({
      kafka,
      logger: silentLogger,
      topics: [topic],
      positions: () => {
        looks += 1;
        return positions;
      },
      boundMs: 30_000,
    });
    await put(1);
    let isCurrent: boolean | undefined;
    const asked = barrier.becomeCurrent().then((answer) => (isCurrent = answer));
    await eventually(() => expect(looks).to.be.at.least(3));
    expect(isCurrent).to.equal(undefined);
    positions = endsOf(await readWatermarks(kafka, [topic]));
    await put(2);
    expect(await asked).to.equal(true);
    barrier.stop();
  });

  it('never misses a record that was acknowledged before the question', async () => {
    const seen = new Set<number>();
    const reader = createTopicReader({
      kafka,
      logger: silentLogger,
      topic,
      codec: noteCodec,
      onRecord: ({ value }) => void seen.add(value!.n),
    });
    await reader.readUp();
    for (let n = 0; n < 50; n++) {
      await put(n);
      expect(await reader.becomeCurrent()).to.equal(true);
      expect(seen.has(n), `record ${n}`).to.equal(true);
    }
    await reader.stop();
  });

  it('says no after its bound when the reader does not get there', async () => {
    await put(1);
    const boundMs = 200;
    const about = { kafka, logger: silentLogger, topics: [topic], boundMs };
    const barrier = createReadBarrier({ ...about, positions: () => new Map() });
    expect(await barrier.becomeCurrent()).to.equal(false);
    barrier.stop();
    const broken = createReadBarrier({
      ...about,
      positions: () => Promise.reject(new Error('the database is away')),
    });
    expect(await broken.becomeCurrent()).to.equal(false);
    broken.stop();
  });

  it('says no after its bound when the brokers do not answer', async () => {
    const barrier = createReadBarrier({
      kafka: connectTo('127.0.0.1:1'),
      logger: silentLogger,
      topics: [topic],
      positions: () => new Map(),
      boundMs: 200,
    });
    expect(await barrier.becomeCurrent()).to.equal(false);
    barrier.stop();
  });

  it('does not wait for a partition that somebody has to repair', async () => {
    await put(1);
    const ends = await readWatermarks(kafka, [topic]);
    const barrier = createReadBarrier({
      kafka,
      logger: silentLogger,
      topics: [topic],
      positions: () => new Map(),
      stopped: () => new Set(ends.keys()),
    });
    expect(await barrier.becomeCurrent()).to.equal(true);
    barrier.stop();
  });

  it('answers many questions by few looks, and more than it holds at once with no', async () => {
    let looks = 0;
    const barrier = createReadBarrier({
      kafka,
      logger: silentLogger,
      topics: [topic],
      positions: () => {
        looks += 1;
        return new Map();
      },
      maxWaiting: 800,
    });
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => barrier.becomeCurrent()));
    expect(answers.filter((isCurrent) => isCurrent)).to.have.length(800);
    expect(looks).to.equal(1);
    barrier.stop();
    expect(await barrier.becomeCurrent()).to.equal(false);
  });
});

function endsOf(watermarks: ReadonlyMap<string, { high: bigint }>): Map<string, bigint> {
  return new Map([...watermarks].map(([partition, { high }]) => [partition, high]));
}

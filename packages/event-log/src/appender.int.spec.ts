import { eventually } from '@tributary/testkit/eventually';
import { startOwned, startOwnedKafkaPair } from '@tributary/testkit/owned-servers';
import { patiently } from '@tributary/testkit/patience';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import { type Appender, AppendRefused, createAppender } from './appender.ts';
import { partitionOf } from './partitioner.ts';
import { scanTopic } from './scan-topic.ts';
import { addPartitions } from './topic-admin.ts';
import { readWatermarks } from './watermarks.ts';
import { connectTo, makeTopics, note, noteCodec, plainTopic, silentLogger } from './testing.ts';

async function appenderOn(brokers: string, deadlineMs = patiently(5_000)): Promise<Appender> {
  const kafka = connectTo(brokers);
  const appender = createAppender({ kafka, logger: silentLogger, deadlineMs });
  await appender.start();
  await eventually(() => expect(appender.health().ok).to.equal(true));
  return appender;
}

async function count(brokers: string, topic: string): Promise<number> {
  let records = 0;
  await scanTopic({
    kafka: connectTo(brokers),
    logger: silentLogger,
    topic,
    codec: noteCodec,
    onRecord: () => void (records += 1),
  });
  return records;
}

describe('appender', () => {
  it('acknowledges what is on the log, in the partition every client would choose', async () => {
    const { kafkaBrokers } = await getServers();
    const topic = `${uniquePrefix()}notes`;
    await makeTopics(connectTo(kafkaBrokers), plainTopic(topic, 12));
    const appender = await appenderOn(kafkaBrokers, 30_000);
    await Promise.all(
      Array.from({ length: 1_000 }, (_, n) =>
        appender.append([{ topic, key: `k${n}`, value: note(n) }]),
      ),
    );
    const wrong: string[] = [];
    const seen = new Set<string>();
    await scanTopic({
      kafka: connectTo(kafkaBrokers),
      logger: silentLogger,
      topic,
      codec: noteCodec,
      onRecord: ({ key, partition }) => {
        seen.add(key);
        if (partitionOf(topic, key, 12) !== partition) wrong.push(key);
      },
    });
    // At least: a refused send is repeated and may leave a copy.
    expect(seen.size).to.equal(1_000);
    expect(wrong).to.deep.equal([]);
    await appender.stop();
  });

  it('uses partitions that a topic is given meanwhile, and loses nothing to them', async () => {
    const { kafkaBrokers } = await getServers();
    const kafka = connectTo(kafkaBrokers);
    const topic = `${uniquePrefix()}notes`;
    await makeTopics(kafka, plainTopic(topic, 1));
    const appender = createAppender({ kafka, logger: silentLogger, recountMs: 1 });
    await appender.start();
    await eventually(() => appender.append([{ topic, key: 'first', value: note(0) }]));
    await addPartitions(kafka, topic, 8);

    const acknowledged = new Set<string>(['first']);
    await eventually(async () => {
      const keys = Array.from({ length: 50 }, (_, n) => `k${acknowledged.size}-${n}`);
      await Promise.all(
        keys.map(async (key) => {
          await appender.append([{ topic, key, value: note(1) }]);
          acknowledged.add(key);
        }),
      );
      expect((await filledPartitions(topic)).size).to.equal(8);
    });
    const there = new Set<string>();
    await scanTopic({
      ...{ kafka, logger: silentLogger, topic, codec: noteCodec },
      onRecord: ({ key }) => void there.add(key),
    });
    expect([...acknowledged].filter((key) => !there.has(key))).to.deep.equal([]);
    await appender.stop();

    async function filledPartitions(name: string): Promise<Set<string>> {
      const marks = await readWatermarks(kafka, [name]);
      return new Set([...marks].flatMap(([at, { high }]) => (high > 0n ? [at] : [])));
    }
  });

  it('measures how long each append takes, and how it ends', async () => {
    const { kafkaBrokers } = await getServers();
    const topic = `${uniquePrefix()}notes`;
    await makeTopics(connectTo(kafkaBrokers), plainTopic(topic, 1));
    const appender = await appenderOn(kafkaBrokers, 30_000);
    const seen: { seconds: number; labels: object }[] = [];
    appender.durations['tributary_log_append_duration_seconds']?.follow((seconds, labels) => {
      seen.push({ seconds, labels });
    });
    const startedMs = performance.now();
    await appender.append([{ topic, key: 'k', value: note(1) }]);
    const tookSeconds = (performance.now() - startedMs) / 1_000;
    await appender.stop();
    await appender.append([{ topic, key: 'k', value: note(2) }]).catch(() => undefined);
    expect(seen.map(({ labels }) => labels)).to.deep.equal([
      { result: 'acknowledged' },
      { result: 'refused' },
    ]);
    // A gather is some 2 ms.
    expect(seen[0]?.seconds).to.be.within(0.001, tookSeconds);
  });

  it("knows the brokers' time from its last acknowledgement", async () => {
    const { kafkaBrokers } = await getServers();
    const topic = `${uniquePrefix()}notes`;
    await makeTopics(connectTo(kafkaBrokers), plainTopic(topic, 1));
    const appender = await appenderOn(kafkaBrokers, 30_000);
    expect(appender.logTime()).to.equal(undefined);
    const [askedAt, askedMs] = [Date.now(), performance.now()];
    await appender.append([{ topic, key: 'k', value: note(1) }]);
    const { at, sentMs, sentAt, looseMs } = appender.logTime()!;
    // The brokers of a test run on this machine.
    expect(at.getTime()).to.be.within(askedAt - 1, Date.now() + 1);
    expect(sentMs).to.be.within(askedMs, performance.now());
    expect(sentAt.getTime()).to.be.within(askedAt, Date.now());
    expect(looseMs).to.be.within(0, performance.now() - sentMs);
    await appender.stop();
  });

  it('takes twenty 60 KiB records for one partition at once and refuses nobody', async () => {
    const { kafkaBrokers } = await getServers();
    const topic = `${uniquePrefix()}notes`;
    await makeTopics(connectTo(kafkaBrokers), plainTopic(topic, 12));
    const appender = await appenderOn(kafkaBrokers);
    const big = JSON.stringify({ schemaVersion: 1, n: 1, pad: 'x'.repeat(60 * 1024) });
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 20 }, () => appender.append([{ topic, key: 'one', value: big }])),
      ...Array.from({ length: 50 }, (_, n) =>
        appender.append([{ topic, key: `k${n}`, value: note(n) }]),
      ),
    ]);
    expect(outcomes.filter((o) => o.status === 'rejected')).to.deep.equal([]);
    expect(await count(kafkaBrokers, topic)).to.be.at.least(70);
    await appender.stop();
  });

  it('lets a leaderless partition refuse only its own records', async () => {
    const [first, second] = await startOwnedKafkaPair();
    try {
      const topic = `${uniquePrefix()}notes`;
      const admin = connectTo(first.address).client.admin();
      await admin.connect();
      const { brokers } = await admin.describeCluster();
      const nodes = brokers.map((b) => b.nodeId).sort();
      // Partition 2 lives on the second broker alone; 0 and 1 on the first.
      const replicaAssignment = [0, 1, 2].map((partition) => ({
        partition,
        replicas: [partition === 2 ? nodes[1]! : nodes[0]!],
      }));
      await admin.createTopics({ topics: [{ topic, replicaAssignment }], waitForLeaders: false });
      const appender = await appenderOn(first.address, 3_000);
      const keys = Array.from({ length: 60 }, (_, n) => `k${n}`);
      const append = (key: string) => appender.append([{ topic, key, value: note(1) }]);
      await eventually(() => Promise.all(keys.map(append)));

      await second.kill();
      await eventually(
        async () => {
          const found = await admin.fetchTopicMetadata({ topics: [topic] });
          const leader = found.topics[0]?.partitions.find((p) => p.partitionId === 2)?.leader;
          expect(leader).to.equal(-1);
        },
        { deadlineMs: 30_000 },
      );
      for (const round of [1, 2, 3]) {
        const outcomes = await Promise.allSettled(keys.map(append));
        const refused = keys.filter((_, i) => outcomes[i]?.status === 'rejected');
        expect(refused, `round ${round}`).to.deep.equal(
          keys.filter((key) => partitionOf(topic, key, 3) === 2),
        );
      }
      await second.restart();
      await eventually(() => Promise.all(keys.map(append)), { deadlineMs: 30_000 });
      await appender.stop();
      await admin.disconnect();
    } finally {
      await second.stop();
      await first.stop();
    }
  });

  it('refuses while the broker is killed and goes on when it returns, losing no ack', async () => {
    const owned = await startOwned('kafka');
    try {
      const brokers = owned.address;
      const topic = `${uniquePrefix()}notes`;
      await makeTopics(connectTo(brokers), plainTopic(topic));
      const appender = await appenderOn(brokers, patiently(2_000));
      await appender.append([{ topic, key: 'k', value: note(0) }]);
      await owned.kill();
      const refused = await appender
        .append([{ topic, key: 'k', value: note(1) }])
        .then(() => undefined)
        .catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(AppendRefused);
      await owned.restart();
      await eventually(() => appender.append([{ topic, key: 'k', value: note(2) }]), {
        deadlineMs: 20_000,
      });
      // 0 and 2 were acknowledged; 1 may be there or not: a refusal means zero or one.
      expect(await count(brokers, topic)).to.be.within(2, 4);
      await appender.stop();
    } finally {
      await owned.stop();
    }
  });

  it('refuses at once what its queue cannot hold, and takes more when the queue is empty', async () => {
    const { kafkaBrokers } = await getServers();
    const topic = `${uniquePrefix()}notes`;
    const kafka = connectTo(kafkaBrokers);
    await makeTopics(kafka, plainTopic(topic));
    const appender = createAppender({
      ...{ kafka, logger: silentLogger, maxQueuedRecords: 10, deadlineMs: 30_000 },
    });
    await appender.start();
    await eventually(() => expect(appender.health().ok).to.equal(true));
    const append = (n: number) => appender.append([{ topic, key: 'k', value: note(n) }]);
    const queued = Array.from({ length: 10 }, (_, n) => append(n));
    const refused = await append(10).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(AppendRefused);
    await Promise.all(queued);
    await append(11);
    expect(await count(kafkaBrokers, topic)).to.equal(11);
    await appender.stop();
  });

  it('refuses at once, not after the deadline, when the brokers have long been silent', async () => {
    const owned = await startOwned('kafka');
    try {
      const topic = `${uniquePrefix()}notes`;
      await makeTopics(connectTo(owned.address), plainTopic(topic));
      const appender = await appenderOn(owned.address, 60_000);
      await owned.pause();
      await eventually(() => expect(appender.health().ok).to.equal(false), { deadlineMs: 15_000 });
      const error = await appender
        .append([{ topic, key: 'k', value: note(1) }])
        .catch((e: unknown) => e);
      expect(error).to.be.instanceOf(AppendRefused);
      await owned.resume();
      await eventually(() => expect(appender.health().ok).to.equal(true), { deadlineMs: 30_000 });
      await appender.stop();
    } finally {
      await owned.stop();
    }
  });
});

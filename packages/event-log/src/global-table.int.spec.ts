import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import { createAppender } from './appender.ts';
import { createGlobalTable } from './global-table.ts';
import { scanTopic } from './scan-topic.ts';
import { connectTo, makeTopics, note, noteCodec, plainTopic, silentLogger } from './testing.ts';

describe('global table', () => {
  it('starts with all of the topic, and then follows it, in every process', async () => {
    const kafka = connectTo((await getServers()).kafkaBrokers);
    const topic = `${uniquePrefix()}notes`;
    await makeTopics(kafka, plainTopic(topic));
    const appender = createAppender({ kafka, logger: silentLogger, deadlineMs: 30_000 });
    await appender.start();
    await eventually(() => expect(appender.health().ok).to.equal(true));
    const put = (n: number) => appender.append([{ topic, key: `k${n}`, value: note(n) }]);
    await Promise.all([0, 1, 2, 3, 4].map(put));

    const views = [new Set<number>(), new Set<number>()];
    const tables = views.map((view) =>
      createGlobalTable({
        kafka,
        logger: silentLogger,
        topic,
        codec: noteCodec,
        apply: ({ n }) => void view.add(n),
      }),
    );
    await Promise.all(tables.map((table) => table.start()));
    expect(views.map((view) => view.size)).to.deep.equal([5, 5]);
    await put(5);
    await eventually(() => expect(views.map((view) => view.has(5))).to.deep.equal([true, true]));
    await Promise.all(tables.map((table) => table.stop()));
    await appender.stop();
  });

  it('is ready at once on an empty topic', async () => {
    const kafka = connectTo((await getServers()).kafkaBrokers);
    const topic = `${uniquePrefix()}notes`;
    await makeTopics(kafka, plainTopic(topic));
    const table = createGlobalTable({
      kafka,
      logger: silentLogger,
      topic,
      codec: noteCodec,
      apply: () => undefined,
    });
    await table.start();
    expect(table.health()).to.deep.equal({ ok: true });
    await table.stop();
  });
});

describe('scanTopic', () => {
  it('rejects when records newer than its codec hide what is behind them', async () => {
    const kafka = connectTo((await getServers()).kafkaBrokers);
    const topic = `${uniquePrefix()}notes`;
    await makeTopics(kafka, plainTopic(topic, 1));
    const appender = createAppender({ kafka, logger: silentLogger, deadlineMs: 30_000 });
    await appender.start();
    await eventually(() => expect(appender.health().ok).to.equal(true));
    for (const value of [note(1), JSON.stringify({ schemaVersion: 2, n: 2 }), note(3)]) {
      await appender.append([{ topic, key: 'a', value }]);
    }
    const onRecord = () => undefined;
    const scan = scanTopic({ kafka, logger: silentLogger, topic, codec: noteCodec, onRecord });
    const error = await scan.catch((thrown: unknown) => thrown);
    expect((error as Error).message).to.match(/schemaVersion 2, newer than this process reads/);
    await appender.stop();
  });

  it('reads from a time on', async () => {
    const kafka = connectTo((await getServers()).kafkaBrokers);
    const topic = `${uniquePrefix()}notes`;
    await makeTopics(kafka, plainTopic(topic));
    const appender = createAppender({ kafka, logger: silentLogger, deadlineMs: 30_000 });
    await appender.start();
    await eventually(() => expect(appender.health().ok).to.equal(true));
    const read = async (fromTimestampMs: number) => {
      const seen: { n: number; timestampMs: number }[] = [];
      const onRecord = (r: { value: { n: number } | null; timestampMs: number }) =>
        void seen.push({ n: r.value!.n, timestampMs: r.timestampMs });
      await scanTopic({
        kafka,
        logger: silentLogger,
        topic,
        codec: noteCodec,
        fromTimestampMs,
        onRecord,
      });
      return seen;
    };
    await appender.append([{ topic, key: 'a', value: note(1) }]);
    const [first] = await read(0);
    await eventually(() => expect(Date.now()).to.be.greaterThan(first!.timestampMs + 5));
    await appender.append([{ topic, key: 'a', value: note(2) }]);
    expect((await read(first!.timestampMs + 1)).map((r) => r.n)).to.deep.equal([2]);
    expect((await read(0)).map((r) => r.n)).to.deep.equal([1, 2]);
    await appender.stop();
  });
});

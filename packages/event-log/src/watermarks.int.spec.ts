import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import { createAppender } from './appender.ts';
import { connectTo, silentLogger } from './testing.ts';
import { addPartitions, createTopics, topicSpecs } from './topic-admin.ts';
import { createWatermarkReader } from './watermarks.ts';

describe('a reader of watermarks', () => {
  it('reads what is there each time, and goes on after it was closed', async () => {
    const kafka = connectTo((await getServers()).kafkaBrokers);
    const wiring = { prefix: uniquePrefix(), generation: 1, replication: 1, minInsync: 1 };
    const [events] = topicSpecs(wiring, ['events']);
    const topic = events!.topic;
    await createTopics({ kafka, topics: [events!], logger: silentLogger });
    const appender = createAppender({ kafka, logger: silentLogger, deadlineMs: 30_000 });
    await appender.start();
    const reader = createWatermarkReader(kafka);
    const count = async () => {
      const ends = [...(await reader.read([topic])).values()];
      return ends.reduce((sum, { low, high }) => sum + high - low, 0n);
    };
    try {
      expect(await count()).to.equal(0n);
      await appender.append([{ topic, key: 'a:b', value: '{}' }]);
      expect(await count()).to.equal(1n);
      await addPartitions(kafka, topic, 20);
      await eventually(async () => expect(await reader.read([topic])).to.have.property('size', 20));
      await reader.close();
      expect(await count()).to.equal(1n);
      const missing = await reader.read([`${topic}-is-not-there`]).catch((e: unknown) => e);
      expect(missing).to.be.instanceOf(Error);
      expect(await count()).to.equal(1n);
    } finally {
      await reader.close();
      await appender.stop();
    }
  });
});

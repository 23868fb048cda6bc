import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import { createAppender } from './appender.ts';
import type { KafkaConnection } from './kafka.ts';
import { createSupervisedConsumer } from './supervised-consumer.ts';
import { connectTo, makeTopics, plainTopic, silentLogger } from './testing.ts';

type Part = { start(): unknown; stop(): Promise<void> };

// What kafkajs has under way when it is told to disconnect opens a connection again afterwards. A
// process with such a connection does not end, and a consumer with one holds partitions that
// nobody reads. So each part is stopped at many moments of its start.
describe('what is stopped while it starts', function () {
  this.timeout(120_000);
  let kafka: KafkaConnection;
  let topic: string;

  before(async () => {
    kafka = connectTo((await getServers()).kafkaBrokers);
    topic = `${uniquePrefix()}notes`;
    await makeTopics(kafka, plainTopic(topic));
  });

  const parts: Record<string, () => Part> = {
    'a consumer': () =>
      createSupervisedConsumer({
        ...{ kafka, logger: silentLogger, groupId: `${uniquePrefix()}group`, topics: [topic] },
        onAssigned: () => undefined,
        onBatch: () => Promise.resolve(),
      }),
    'an appender': () => createAppender({ kafka, logger: silentLogger }),
  };

  for (const [what, create] of Object.entries(parts)) {
    it(`leaves no connection behind: ${what}`, async () => {
      const before = connections();
      await Promise.all(
        Array.from({ length: 15 }, async (_, i) => {
          const part = create();
          void part.start();
          await delay(i * 20);
          await part.stop();
        }),
      );
      await eventually(() => expect(connections()).to.be.at.most(before), { deadlineMs: 30_000 });
    });
  }
});

function connections(): number {
  return process.getActiveResourcesInfo().filter((type) => type === 'TCPSocketWrap').length;
}

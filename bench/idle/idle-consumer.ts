import { topicName, topics, type Topic } from '@tributary/contracts/topics';
import { connectTo, type KafkaAddress, silentLogger } from '@tributary/event-log/testing';
import { createSupervisedConsumer } from '@tributary/event-log/supervised-consumer';
import { readFileSync } from 'node:fs';

/**
 * The floor of a service that reads the log: the consumer that all of them have, on as many topics
 * as the portal reads, and nothing that it hands a record to. Its address is on stdin.
 */
const address = JSON.parse(readFileSync(0, 'utf8')) as KafkaAddress;
const wiring = { prefix: '', generation: 1 };
const consumer = createSupervisedConsumer({
  kafka: connectTo(address),
  logger: silentLogger,
  groupId: 'bench-idle',
  topics: (Object.keys(topics) as Topic[]).map((topic) => topicName(topic, wiring)),
  onAssigned: () => undefined,
  onBatch: ({ batch, resolveOffset }) => Promise.resolve(resolveOffset(batch.lastOffset())),
});
consumer.start();

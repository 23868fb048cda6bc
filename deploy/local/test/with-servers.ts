import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKafka, type KafkaConnection } from '@tributary/event-log/kafka';
import { countMembers, deleteTopics } from '@tributary/event-log/remove-from-brokers';
import { silentLogger } from '@tributary/event-log/testing';
import { listTopics } from '@tributary/event-log/topic-admin';
import { eventually } from '@tributary/testkit/eventually';
import { getServers, stopServers } from '@tributary/testkit/servers';
import type { StageContext } from './run-stage.ts';

/**
 * The processes of a stage share one set of servers, which they find by a file
 * (testkit/servers.ts). Topics of a process that has ended go, as Kafka becomes slow when it has
 * thousands.
 */
export async function withServers<T>(
  context: StageContext,
  work: (context: StageContext) => Promise<T>,
): Promise<T> {
  const file = join(context.temp, 'servers.json');
  try {
    const servers = await getServers();
    writeFileSync(file, JSON.stringify(servers));
    const settings = { brokers: servers.kafkaBrokers.split(',') };
    const kafka = createKafka({ settings, clientId: 'test-runner', logger: silentLogger });
    await groupsCanBeUsed(kafka);
    return await work({
      ...context,
      env: { ...context.env, TRIBUTARY_TEST_SERVERS: file },
      async onEnd(topicPrefix) {
        await removeTopics(kafka, topicPrefix).catch((error: unknown) => {
          context.write(`topics are left on the test runner's Kafka: ${String(error)}\n`);
        });
      },
    });
  } finally {
    await stopServers();
  }
}

/**
 * A new broker makes the topic of its consumer groups when one is first asked for, which takes
 * longer on a busy machine than kafkajs asks again.
 */
async function groupsCanBeUsed(kafka: KafkaConnection): Promise<void> {
  await eventually(() => countMembers(kafka, ['test-runner']), { deadlineMs: 60_000 });
}

/** Those whose names begin so. */
export async function removeTopics(kafka: KafkaConnection, prefix: string): Promise<void> {
  const all = await listTopics(kafka);
  const ours = all.filter((topic) => topic.startsWith(prefix));
  await deleteTopics(kafka, ours);
}

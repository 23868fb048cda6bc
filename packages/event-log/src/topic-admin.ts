import { setTimeout as delay } from 'node:timers/promises';
import {
  type PartitionCounts,
  type Topic,
  topicName,
  topicPartitions,
  topics as topicTable,
  topicSettings,
  type TopicWiring,
} from '@tributary/contracts/topics';
import type { Logger } from '@tributary/runtime/logger';
import kafkajs from 'kafkajs';
import type { KafkaConnection } from './kafka.ts';
import { RightsLacking } from './missing-rights.ts';
import { notAuthorized, readTopicAnswers, unknownTopic } from './topic-answers.ts';
import { withAdmin } from './with-admin.ts';

/** What a topic must be on the brokers. */
export type TopicSpec = {
  topic: string;
  partitions: number;
  replication: number;
  settings: Record<string, string>;
};

/**
 * The topics of a deployment, or those named. A topic keeps every acknowledged record only with
 * `minInsync` replicas behind each ack: 2 of 3 in production, 1 on a single node.
 */
export function topicSpecs(
  wiring: TopicWiring & { replication: number; minInsync: number; partitions?: PartitionCounts },
  names: readonly Topic[] = Object.keys(topicTable) as Topic[],
): TopicSpec[] {
  return names.map((topic) => ({
    topic: topicName(topic, wiring),
    partitions: wiring.partitions?.[topic] ?? topicPartitions,
    replication: wiring.replication,
    settings: { ...topicSettings(topic), 'min.insync.replicas': String(wiring.minInsync) },
  }));
}

/**
 * Makes the topics that are missing; leaves existing ones as they are ({@link checkTopics} checks
 * them).
 */
export async function createTopics(options: {
  kafka: KafkaConnection;
  topics: readonly TopicSpec[];
  logger: Logger;
}): Promise<void> {
  const { kafka, topics, logger } = options;
  const admin = kafka.client.admin();
  await admin.connect();
  try {
    const existing = new Set(await admin.listTopics());
    const missing = topics.filter(({ topic }) => !existing.has(topic));
    if (missing.length === 0) return;
    await admin.createTopics({
      // kafkajs' own wait gives up when the broker has not heard of the topic yet.
      waitForLeaders: false,
      topics: missing.map(({ topic, partitions, replication, settings }) => ({
        topic,
        numPartitions: partitions,
        replicationFactor: replication,
        configEntries: Object.entries(settings).map(([name, value]) => ({ name, value })),
      })),
    });
    await waitForLeaders(
      admin,
      missing.map(({ topic }) => topic),
    );
    logger.info('topics created', { topics: missing.map(({ topic }) => topic) });
  } finally {
    await admin.disconnect();
  }
}

async function waitForLeaders(admin: kafkajs.Admin, topics: string[]): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    try {
      const found = await admin.fetchTopicMetadata({ topics });
      if (found.topics.every((t) => t.partitions.every((p) => p.leader >= 0))) return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    if (performance.now() > deadline) throw new Error(`no leaders for ${topics.join(', ')}`);
    await delay(50);
  }
}

/** How many partitions a topic has now. */
export async function countPartitions(kafka: KafkaConnection, topic: string): Promise<number> {
  return withAdmin(kafka, async (admin) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return topics[0]?.partitions.length ?? 0;
  });
}

/** How many partitions each of these topics has now, without those that there are not. */
export async function readPartitionCounts(
  kafka: KafkaConnection,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  return withAdmin(kafka, async (admin) => {
    const existing = new Set(await admin.listTopics());
    const asked = names.filter((name) => existing.has(name));
    if (asked.length === 0) return new Map();
    const { topics } = await admin.fetchTopicMetadata({ topics: asked });
    return new Map(topics.map(({ name, partitions }) => [name, partitions.length]));
  });
}

/** Gives a topic more partitions, so that it has `count` of them. Those it has stay as they are. */
export async function addPartitions(
  kafka: KafkaConnection,
  topic: string,
  count: number,
): Promise<void> {
  await withAdmin(kafka, (admin) =>
    admin.createPartitions({ topicPartitions: [{ topic, count }] }),
  );
}

/** Every topic that is on the brokers. */
export async function listTopics(kafka: KafkaConnection): Promise<string[]> {
  return withAdmin(kafka, async (admin) => {
    return await admin.listTopics();
  });
}

/**
 * Whether there is such a topic now, asked by its name: a list leaves out silently what the
 * principal may not see.
 */
export async function hasTopic(kafka: KafkaConnection, topic: string): Promise<boolean> {
  const [answer] = await readTopicAnswers(kafka, [topic]);
  if (answer?.code === notAuthorized) {
    throw new RightsLacking([`${kafka.principal} lacks Describe on topic ${topic}`]);
  }
  return answer?.code !== unknownTopic;
}

/**
 * Refuses topics that would break a promise: missing, with fewer replicas, or with another setting.
 * How many partitions there are is the deployment's own business.
 *
 * @throws {TopicsUnfit} naming every topic and setting with what is expected and what is there.
 */
export async function checkTopics(options: {
  kafka: KafkaConnection;
  topics: readonly TopicSpec[];
}): Promise<void> {
  const mistakes = await findTopicMistakes(options);
  if (mistakes.length > 0) throw new TopicsUnfit(mistakes);
}

/** What {@link checkTopics} refuses, a line each. */
export async function findTopicMistakes(options: {
  kafka: KafkaConnection;
  topics: readonly TopicSpec[];
}): Promise<string[]> {
  const { kafka, topics } = options;
  return withAdmin(kafka, async (admin) => {
    const existing = new Set(await admin.listTopics());
    const missing = topics.filter(({ topic }) => !existing.has(topic));
    const present = topics.filter(({ topic }) => existing.has(topic));
    return [
      ...missing.map(({ topic }) => `topic ${topic} does not exist: create it with deploy/topics`),
      ...(present.length === 0 ? [] : await wrongShapes(admin, present)),
      ...(present.length === 0 ? [] : await wrongSettings(admin, present)),
    ];
  });
}

export class TopicsUnfit extends Error {
  readonly retryable = false;
  readonly mistakes: readonly string[];
  constructor(mistakes: readonly string[]) {
    super(`the topics are not fit for use: ${mistakes.join('; ')}`);
    this.name = 'TopicsUnfit';
    this.mistakes = mistakes;
  }
}

async function wrongShapes(admin: kafkajs.Admin, specs: readonly TopicSpec[]): Promise<string[]> {
  const { topics } = await admin.fetchTopicMetadata({ topics: specs.map((s) => s.topic) });
  return specs.flatMap(({ topic, replication }) => {
    const found = topics.find(({ name }) => name === topic)?.partitions ?? [];
    const replicas = Math.min(...found.map((p) => p.replicas.length));
    return replicas < replication
      ? [`topic ${topic}: replication factor ${replication} expected, found ${replicas}`]
      : [];
  });
}

async function wrongSettings(admin: kafkajs.Admin, specs: readonly TopicSpec[]): Promise<string[]> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: specs.map(({ topic, settings }) => ({
      type: kafkajs.ConfigResourceTypes.TOPIC,
      name: topic,
      configNames: Object.keys(settings),
    })),
  });
  return specs.flatMap(({ topic, settings }) => {
    const entries = resources.find((r) => r.resourceName === topic)?.configEntries ?? [];
    return Object.entries(settings).flatMap(([name, expected]) => {
      const found = entries.find((e) => e.configName === name)?.configValue;
      return found === expected
        ? []
        : [`topic ${topic}: ${name}=${expected} expected, found ${found}`];
    });
  });
}

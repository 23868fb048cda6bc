import type { Topic } from '@tributary/contracts/topics';
import { type TopicWiring, topicName } from '@tributary/contracts/topics';
import {
  type KafkaOperation,
  type KafkaPrincipal,
  type KafkaRights,
  topicRights,
} from '@tributary/contracts/topic-rights';
import type { KafkaConnection } from './kafka.ts';
import { errorOfCode, sendRaw } from './raw-requests.ts';
import { notAuthorized, readTopicAnswers, unknownTopic } from './topic-answers.ts';

/**
 * What a service needs at these topics and the brokers do not let its principal do, a sentence
 * each. The brokers are asked what they allow, so nothing has to be tried.
 */
export async function findMissingRights(options: {
  kafka: KafkaConnection;
  service: string;
  wiring: TopicWiring;
  topics: readonly Topic[];
}): Promise<string[]> {
  const { kafka, service, wiring, topics } = options;
  const needed = topics.map((topic) => ({
    topic: topicName(topic, wiring),
    operations: operationsOn(topic, service),
  }));
  const allowed = await readAllowed(
    kafka,
    needed.map(({ topic }) => topic),
  );
  return needed.flatMap(({ topic, operations }) =>
    operations
      .filter((operation) => !isAllowed(allowed.get(topic) ?? 0, operation))
      .map((operation) => `${kafka.principal} lacks ${operation} on topic ${topic}`),
  );
}

/**
 * Refuses while rights lack: what a broker does not let a principal see looks as if it were not
 * there, so nothing may be concluded from its absence before.
 *
 * @throws {RightsLacking} naming every right; whoever catches it tries again.
 */
export async function requireRights(
  options: Parameters<typeof findMissingRights>[0],
): Promise<void> {
  const missing = await findMissingRights(options);
  if (missing.length > 0) throw new RightsLacking(missing);
}

export class RightsLacking extends Error {
  readonly retryable = true;
  constructor(missing: readonly string[]) {
    super(missing.join('; '));
    this.name = 'RightsLacking';
  }
}

/** Who gives what lacks; for the log. */
export const whoGivesRights = 'deploy/topics/rights.ts --apply gives it';

/** Whether the principal may not even see this consumer group, whatever kafkajs makes of it. */
export async function isGroupRefused(kafka: KafkaConnection, groupId: string): Promise<boolean> {
  const code = await sendRaw(kafka, {
    name: 'DescribeGroups',
    apiKey: 15,
    apiVersion: 0,
    encode: (encoder) => encoder.writeArray([groupId]),
    decode(decoder) {
      decoder.readInt32();
      return decoder.readInt16();
    },
  });
  return code === groupNotAuthorized;
}

const groupNotAuthorized = 30;

function operationsOn(topic: Topic, service: string): KafkaOperation[] {
  if (!(service in topicRights)) return [];
  const { reads, writes, sees }: KafkaRights = topicRights[service as KafkaPrincipal];
  const operations: KafkaOperation[] = [];
  if (reads?.includes(topic)) operations.push('Read');
  if (writes?.includes(topic)) operations.push('Write');
  if (sees?.includes(topic)) operations.push('Describe');
  return operations.length === 0 ? [] : [...operations, 'DescribeConfigs'];
}

/** The numbers that Kafka gives operations, which are the bits of what it answers. */
const bits: Record<KafkaOperation, number> = {
  Read: 3,
  Write: 4,
  Create: 5,
  Delete: 6,
  Describe: 8,
  DescribeConfigs: 10,
};

function isAllowed(allowed: number, operation: KafkaOperation): boolean {
  return ((allowed >> bits[operation]) & 1) === 1;
}

/** By topic; a topic that the principal may not even see is left out. */
async function readAllowed(
  kafka: KafkaConnection,
  topics: readonly string[],
): Promise<Map<string, number>> {
  const seen = new Map<string, number>();
  for (const { topic, code, operations } of await readTopicAnswers(kafka, topics)) {
    // A topic that is missing is for whoever checks topics to say.
    if (code === unknownTopic) seen.set(topic, everything);
    else if (code === 0 || code === leaderNotAvailable) seen.set(topic, operations);
    else if (code !== notAuthorized) throw errorOfCode(code);
  }
  return seen;
}

const everything = 0x7fff;
const leaderNotAvailable = 5;

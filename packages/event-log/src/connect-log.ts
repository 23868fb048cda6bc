import { type Topic, topicName } from '@tributary/contracts/topics';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import type { KafkaSettings, TopicWiring } from '@tributary/runtime/variables';
import { type Appender, createAppender } from './appender.ts';
import { createKafka, type KafkaConnection } from './kafka.ts';
import { checkTopics, topicSpecs } from './topic-admin.ts';

export type Log = {
  kafka: KafkaConnection;
  appender: Appender;
  /** The name of a topic in this deployment and generation. */
  nameOf: (topic: Topic) => string;
};

/**
 * What every service does first with the log: connect, refuse topics that miss their settings
 * (design 3), and make ready to append. The appender stops by `onStop`.
 */
export async function connectLog(
  settings: { kafka: KafkaSettings; topics: TopicWiring },
  options: {
    service: string;
    topicsUsed: readonly Topic[];
    logger: Logger;
    onStop: OnStop;
    makeAppender?: (kafka: KafkaConnection) => Appender;
  },
): Promise<Log> {
  const { topics } = settings;
  const { service, topicsUsed, logger, onStop } = options;
  const kafka = createKafka({ settings: settings.kafka, clientId: service, logger });
  await checkTopics({ kafka, topics: topicSpecs(topics, topicsUsed) });
  const appender = options.makeAppender?.(kafka) ?? createAppender({ kafka, logger });
  await appender.start();
  onStop('appender', () => appender.stop());
  return { kafka, appender, nameOf: (topic) => topicName(topic, topics) };
}

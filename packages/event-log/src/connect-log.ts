import { type Topic, topicName } from '@tributary/contracts/topics';
import type { Composition } from '@tributary/runtime/component';
import type { Logger } from '@tributary/runtime/logger';
import type { KafkaSettings, TopicWiring } from '@tributary/runtime/variables';
import { type Appender, createAppender } from './appender.ts';
import { createKafka, type KafkaConnection } from './kafka.ts';
import { createRightsWatch } from './rights-watch.ts';
import { checkTopics, topicSpecs } from './topic-admin.ts';

export type Log = {
  kafka: KafkaConnection;
  appender: Appender;
  /** The name of a topic in this deployment and generation. */
  nameOf: (topic: Topic) => string;
};

/**
 * What every service does first with the log: connect, refuse topics that miss their settings
 * (design 3), and make ready to append. The appender becomes the part `kafka` of the process.
 */
export async function connectLog(
  settings: { kafka: KafkaSettings; topics: TopicWiring },
  options: Pick<Composition, 'start'> & {
    service: string;
    topicsUsed: readonly Topic[];
    logger: Logger;
    makeAppender?: (kafka: KafkaConnection) => Appender;
  },
): Promise<Log> {
  const { topics } = settings;
  const { service, topicsUsed, logger, start } = options;
  const kafka = createKafka({ settings: settings.kafka, clientId: service, logger });
  await start(
    'kafka-rights',
    createRightsWatch({
      ...{ kafka, service, wiring: topics, topics: topicsUsed, logger },
      whenAllowed: () => checkTopics({ kafka, topics: topicSpecs(topics, topicsUsed) }),
    }),
  );
  const appender = options.makeAppender?.(kafka) ?? createAppender({ kafka, logger });
  await start('kafka', appender);
  return { kafka, appender, nameOf: (topic) => topicName(topic, topics) };
}

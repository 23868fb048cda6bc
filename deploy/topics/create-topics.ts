import { partitionCounts } from '../../packages/contracts/src/topics.ts';
import { createKafka } from '../../packages/event-log/src/kafka.ts';
import { createTopics, topicSpecs } from '../../packages/event-log/src/topic-admin.ts';
import { loadConfig } from '../../packages/runtime/src/config.ts';
import { createLogger } from '../../packages/runtime/src/logger.ts';
import { kafkaSettings, topicWiring } from '../../packages/runtime/src/variables.ts';
import { TopicsConfig } from './config.ts';

/**
 * Makes the topics of a deployment that are missing, and changes none that exist. A job to run
 * before the services; it waits for a broker that is still starting.
 */
const service = 'create-topics';
const config = loadConfig(TopicsConfig, process.env, service);
const logger = createLogger({ service, level: 'info' });
const kafka = createKafka({ settings: kafkaSettings(config), clientId: service, logger });
const partitions = partitionCounts(config.TRIBUTARY_TOPIC_PARTITIONS);
const topics = topicSpecs({ ...topicWiring(config), partitions });

await createTopics({ kafka, topics, logger });

import { configSchema } from '../../packages/runtime/src/config-schema.ts';
import {
  generationVariable,
  kafkaVariables,
  topicPartitionsVariable,
} from '../../packages/runtime/src/variables.ts';

/** The variables of the job that makes topics: where Kafka is, and how the topics are kept. */
export const TopicsConfig = configSchema({
  ...kafkaVariables,
  ...generationVariable,
  ...topicPartitionsVariable,
});

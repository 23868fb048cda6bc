import { configSchema } from '../../packages/runtime/src/config-schema.ts';
import { generationVariables, kafkaVariables } from '../../packages/runtime/src/variables.ts';

const { TRIBUTARY_GENERATION } = generationVariables;

/** The variables of the job that makes topics: where Kafka is, and how the topics are kept. */
export const TopicsConfig = configSchema({ ...kafkaVariables, TRIBUTARY_GENERATION });

import {
  type PartitionCounts,
  partitionCounts,
  type Topic,
  topicName,
  topicOfName,
  topicPartitions,
} from '@tributary/contracts/topics';
import { createKafka, type KafkaConnection } from '@tributary/event-log/kafka';
import { parseConfig } from '@tributary/runtime/config';
import { configSchema } from '@tributary/runtime/config-schema';
import { createLogger, type Logger } from '@tributary/runtime/logger';
import {
  kafkaSettings,
  kafkaVariables,
  topicPartitionsVariable,
  topicWiring,
} from '@tributary/runtime/variables';
import { type DemoFile, readDemoFile } from '../demo-file.ts';
import { UsageError } from '../failures.ts';
import type { ProcessContext } from '../process-context.ts';
import type { TargetSystem } from '../target-system.ts';

/** The log of one deployment, as export and import reach it. */
export type DeploymentLog = {
  kafka: KafkaConnection;
  system: TargetSystem;
  /** What the client says of its connections is nothing for a person who looks at a bar. */
  logger: Logger;
  /** With the numbers of partitions that missing topics are made with. */
  wiring: ReturnType<typeof topicWiring> & { partitions: PartitionCounts };
  nameOf: (topic: Topic) => string;
  /** Its topics among these: with its prefix, whatever their generation. */
  ownAmong: (names: readonly string[]) => string[];
  topicOf: (name: string) => Topic | undefined;
};

/**
 * By the variables that the services have (TRIBUTARY_KAFKA_…, TRIBUTARY_TOPIC_…), else the log of
 * the system that `npm start` started in this directory, or in TRIBUTARY_LOCAL_STATE_DIR. Other
 * variables of this process are not validated: the shell of an operator may hold those of the admin
 * API, or of a whole service.
 */
export async function findLog(
  processContext: Pick<ProcessContext, 'env' | 'cwd'>,
): Promise<DeploymentLog> {
  const own = Object.fromEntries(
    Object.keys(logVariables).map((name) => [name, processContext.env[name]] as const),
  );
  const isNamed = isGiven(own['TRIBUTARY_KAFKA_BROKERS']);
  const demo = isNamed ? undefined : await readDemoFile(processContext);
  const read = parseConfig(LogConfig, { ...own, ...(demo && localVariables(demo)) });
  if ('mistakes' in read) {
    throw new UsageError(['The log cannot be reached so:', ...read.mistakes].join('\n  '));
  }
  const { TRIBUTARY_TOPIC_PARTITIONS: counts } = read.config;
  const partitions = wantedPartitions(counts, 'TRIBUTARY_TOPIC_PARTITIONS');
  const wiring = { ...topicWiring(read.config), partitions };
  const logger = createLogger({ service: 'tributary', level: 'silent' });
  return {
    system: {
      address: `Kafka at ${read.config.TRIBUTARY_KAFKA_BROKERS}, topics ${wiring.prefix}referral.*`,
      foundBy: demo?.path ?? 'TRIBUTARY_KAFKA_BROKERS',
    },
    kafka: createKafka({ settings: kafkaSettings(read.config), clientId, logger }),
    logger,
    wiring,
    nameOf: (topic) => topicName(topic, wiring),
    ownAmong: (names) => names.filter((name) => topicOfName(name, wiring.prefix) !== undefined),
    topicOf: (name) => topicOfName(name, wiring.prefix),
  };
}

/** Groups that begin with it are those in which export and import read. */
const clientId = 'tributary-transfer';

const logVariables = { ...kafkaVariables, ...topicPartitionsVariable };
const LogConfig = configSchema(logVariables);

/** @param named where the text is from, for whoever has to put it right */
export function wantedPartitions(text: string | undefined, named: string): PartitionCounts {
  try {
    return partitionCounts(text);
  } catch (error) {
    throw new UsageError(`${named}: ${(error as Error).message}`);
  }
}

function isGiven(text: string | undefined): boolean {
  return text !== undefined && text !== '';
}

/** A single broker, as `npm start` runs it. */
function localVariables({ path, text }: DemoFile): Record<string, string> {
  const log: LogOfDemo = text === undefined ? {} : logOf(text);
  const { kafkaBrokers: brokers, kafkaSasl: sasl, caFile } = log;
  if (brokers === undefined) {
    throw new UsageError(
      `Which log? Set TRIBUTARY_KAFKA_BROKERS as for the services, or run \`npm start\` first: ${path} names none.`,
    );
  }
  return {
    TRIBUTARY_KAFKA_BROKERS: brokers,
    ...(sasl && {
      TRIBUTARY_KAFKA_SASL_MECHANISM: sasl.mechanism,
      TRIBUTARY_KAFKA_SASL_USERNAME: sasl.username,
      TRIBUTARY_KAFKA_SASL_PASSWORD: sasl.password,
    }),
    ...(caFile !== undefined && {
      TRIBUTARY_KAFKA_TLS: 'true',
      TRIBUTARY_KAFKA_TLS_CA_FILE: caFile,
    }),
    TRIBUTARY_TOPIC_REPLICATION: '1',
    TRIBUTARY_TOPIC_MIN_INSYNC: '1',
    TRIBUTARY_TOPIC_PARTITIONS: String(topicPartitions),
    TRIBUTARY_KAFKA_COMPRESSION: 'zstd',
  };
}

function logOf(demo: string): LogOfDemo {
  try {
    const { kafkaBrokers, kafkaSasl, caFile } = JSON.parse(demo) as Record<string, unknown>;
    return typeof kafkaBrokers === 'string'
      ? ({ kafkaBrokers, kafkaSasl, caFile } as LogOfDemo)
      : {};
  } catch {
    return {};
  }
}

type LogOfDemo = {
  kafkaBrokers?: string;
  kafkaSasl?: { mechanism: string; username: string; password: string } | undefined;
  caFile?: string | undefined;
};

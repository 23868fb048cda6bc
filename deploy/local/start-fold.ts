import { freePorts } from '@tributary/testkit/free-port';
import { type ServiceGroup, startGroup } from './service-group.ts';
import { serviceTable } from './service-table.ts';
import { pickVariables } from './service-variables.ts';

/**
 * Processes of one fold on servers, topics and a database that exist, and nothing else of the
 * system: for tests and benchmarks that append facts themselves. Told what a stack tells it.
 */
export async function startFold(
  name: 'attribution' | 'rewards',
  options: {
    kafkaBrokers: string;
    postgresUrl: string;
    topicPrefix: string;
    /** Where the processes log to. */
    logs: string;
    replicas?: number;
    /** Default: the first one, whatever the registry says. */
    generation?: number | 'all';
    /** Further variables. */
    variables?: Record<string, string>;
    say?: (line: string) => void;
  },
): Promise<ServiceGroup> {
  const {
    topicPrefix,
    replicas = 1,
    generation = 1,
    logs,
    variables = {},
    say = () => undefined,
  } = options;
  const row = serviceTable.find((service) => service.name === name)!;
  const values = {
    SERVICE_ENV: 'sandbox',
    TRIBUTARY_HOST: '127.0.0.1',
    TRIBUTARY_KAFKA_BROKERS: options.kafkaBrokers,
    TRIBUTARY_TOPIC_PREFIX: topicPrefix,
    TRIBUTARY_TOPIC_REPLICATION: '1',
    TRIBUTARY_TOPIC_MIN_INSYNC: '1',
    TRIBUTARY_KAFKA_COMPRESSION: 'zstd',
    TRIBUTARY_POSTGRES_URL: options.postgresUrl,
    // The rest of the system, which makes and swaps generations, is not there.
    ...(generation !== 'all' && { TRIBUTARY_GENERATION: String(generation) }),
    // Groups are the cluster's, so they are distinguished like the topics.
    TRIBUTARY_CONSUMER_GROUP: `${topicPrefix}${name}`,
    TRIBUTARY_INTERNAL_TOKEN: 'only-between-these-processes',
  };
  const ports = (await freePorts(replicas)).map((adminPort) => ({ port: undefined, adminPort }));
  return startGroup({
    row,
    ports,
    env: { ...pickVariables(values, row.schema), ...variables },
    logs,
    say,
    onChange: () => undefined,
  });
}

import { join } from 'node:path';
import { topicPartitions } from '@tributary/contracts/topics';
import { runScript } from './node-step.ts';
import { replicaPorts, type ServiceGroup, startGroup } from './service-group.ts';
import { kafkaVariablesOf, serverVariables, topicCopies } from './server-variables.ts';
import type { ServicePasswords } from './service-passwords.ts';
import { type ServiceName, serviceTable } from './service-table.ts';
import { pickVariables, type Servers } from './service-variables.ts';
import type { Start } from './stack.ts';
import type { StateDir } from './state-dir.ts';

/** The same job that a composed deployment runs. */
export function createTopics(
  state: StateDir,
  given: Pick<Given, 'servers' | 'passwords' | 'brokers'>,
): Promise<void> {
  const env = {
    ...kafkaVariablesOf('topics', given),
    ...topicCopies(given.brokers),
    TRIBUTARY_TOPIC_PARTITIONS: String(topicPartitions),
  };
  const logFile = join(state.logs, 'topics.log');
  return runScript({ script: 'deploy/topics/create-topics.ts', env, logFile, user: 'topics' });
}

export async function startServices({ options, say, report, shutdown }: Start, given: Given) {
  const { state, ports, replicas, variables } = options;
  const groups = {} as Record<ServiceName, ServiceGroup>;
  for (const row of serviceTable) {
    const group = startGroup({
      row,
      ports: await replicaPorts(row, ports, replicas?.[row.name] ?? 1),
      env: { ...variablesOf(row, given), ...variables?.[row.name] },
      logs: state.logs,
      checkoutOf: options.checkoutOf,
      say,
      onChange: report.write,
    });
    groups[row.name] = group;
    shutdown.add('services', () => group.stop());
    report.watch(() => group.replicas);
  }
  return groups;
}

type Variables = Record<string, string>;
type Given = { values: Variables; servers: Servers; passwords: ServicePasswords; brokers: number };

function variablesOf(row: (typeof serviceTable)[number], { values, ...given }: Given): Variables {
  const own = {
    ...serverVariables(row.name, given),
    ...topicCopies(given.brokers),
    TRIBUTARY_HOST: '127.0.0.1',
  };
  return pickVariables({ ...values, ...own }, row.schema);
}

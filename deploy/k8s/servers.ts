import { join } from 'node:path';
import { ensureSecrets, type DeploymentSecrets } from '../local/deployment-secrets.ts';
import { ensureKafkaRights } from '../local/kafka-rights.ts';
import { randomPorts } from '../local/ports.ts';
import { createRunReport } from '../local/run-report.ts';
import { adminSasl } from '../local/server-variables.ts';
import { ensurePasswords, type ServicePasswords } from '../local/service-passwords.ts';
import type { Servers } from '../local/service-variables.ts';
import { createShutdown } from '../local/shutdown.ts';
import { serverAddresses, type StackServers, startServers } from '../local/stack-servers.ts';
import { makeStateDir, stateDirAt } from '../local/state-dir.ts';
import type { Steps } from '../local/steps.ts';
import { addresses } from './cluster/addresses.ts';

/** Kafka, Redis and Postgres beside the cluster, where pods and this process reach them. */
export type ClusterServers = StackServers & {
  addresses: Servers;
  passwords: ServicePasswords;
  secrets: DeploymentSecrets;
  /** For whoever may do everything at the broker. */
  kafkaAccess: { kafkaBrokers: string; kafkaSasl: ReturnType<typeof adminSasl> };
  stop(): Promise<void>;
};

/** Without encryption: their cable leads to the node and nowhere else. */
export async function startClusterServers(options: {
  stateDir: string;
  steps: Steps;
  say(line: string): void;
}): Promise<ClusterServers> {
  const { steps, say } = options;
  const state = stateDirAt(join(options.stateDir, 'servers'));
  makeStateDir(state);
  const shutdown = createShutdown(say);
  const report = createRunReport(state.runFile);
  const stop = () => shutdown.run().finally(report.close);
  const passwords = ensurePasswords(state.passwordsFile);
  try {
    const servers = await startServers({
      ...{ state, passwords, steps, report, shutdown, tls: false, address: addresses.machine },
      ports: await randomPorts(),
    });
    const found = serverAddresses(servers);
    await ensureKafkaRights(state, found, passwords);
    return {
      ...servers,
      addresses: found,
      passwords,
      secrets: ensureSecrets(state.secretsFile),
      kafkaAccess: { kafkaBrokers: found.kafkaBrokers, kafkaSasl: adminSasl(passwords) },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

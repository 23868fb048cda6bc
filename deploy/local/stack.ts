import type { KafkaOptions } from '@tributary/native-servers/kafka';
import type { Demo } from '../demo/demo-file.ts';
import type { DiskSizes } from './data-disk.ts';
import { startDemoReceiver } from './demo-receiver-process.ts';
import { startDemoShop } from './demo-shop-process.ts';
import { ensureSecrets } from './deployment-secrets.ts';
import { startEdgeMetrics } from './edge-metrics-process.ts';
import { startEdge } from './edge-server.ts';
import type { Ports } from './ports.ts';
import { requireFreePorts } from './require-free-ports.ts';
import { ownDirectory, ownFile } from './process-files.ts';
import { createRunReport, type RunReport } from './run-report.ts';
import type { ServiceGroup } from './service-group.ts';
import type { ServiceReplica } from './service-replica.ts';
import type { ServiceName } from './service-table.ts';
import {
  deploymentVariables,
  receiversOfThisMachine,
  type Servers,
  stripeAccessFrom,
} from './service-variables.ts';
import { ensureKafkaRights } from './kafka-rights.ts';
import { adminSasl } from './server-variables.ts';
import { ensurePasswords, type ServicePasswords } from './service-passwords.ts';
import { createShutdown, type Shutdown } from './shutdown.ts';
import { makeDemo } from './stack-demo.ts';
import { serverAddresses, type StackServers, startServers } from './stack-servers.ts';
import { createTopics, startServices } from './stack-services.ts';
import { makeStateDir, type StateDir } from './state-dir.ts';
import { createSteps, type Steps } from './steps.ts';

/** A running system: what `npm start` shows, and what tests and benchmarks drive and kill. */
export type Stack = {
  demo: Demo;
  services: Record<ServiceName, ServiceGroup>;
  servers: StackServers;
  /** Its broker, and who may do everything there. */
  kafka: { kafkaBrokers: string; kafkaSasl: ReturnType<typeof adminSasl>; caFile?: string };
  passwords: ServicePasswords;
  edge: Awaited<ReturnType<typeof startEdge>>;
  edgeMetrics: ServiceReplica;
  receiver: ServiceReplica;
  shop: ServiceReplica;
  /** Stops everything in order; every call waits for the same stop. */
  stop(): Promise<void>;
};

export type StackOptions = {
  state: StateDir;
  ports: Ports;
  /** Processes per service; 1 unless named. */
  replicas?: Partial<Record<ServiceName, number>>;
  /** Further variables of single services. */
  variables?: Partial<Record<ServiceName, Record<string, string>>>;
  /**
   * The checkout whose code a process of that name runs, asked at each start; default: this one.
   */
  checkoutOf?: (replica: string) => string;
  /** How many of Kafka; default 1. With three, each record is on all, and acknowledged by two. */
  brokers?: number;
  /** A second listener of Kafka's, for services that come by way of something else: `reach`. */
  kafkaIndirect?: KafkaOptions['indirect'];
  /** Connections to Kafka, Redis and Postgres are encrypted. */
  tls?: boolean;
  /** Servers that keep their data on a file system of their own, with its size; only for root. */
  disks?: DiskSizes;
  /** Gives the addresses by which services reach the servers, where those are others. */
  reach?: (servers: Servers) => Promise<Servers>;
  /**
   * The environment of whoever starts the stack; its settings for Stripe are passed on. Absent:
   * none.
   */
  env?: NodeJS.ProcessEnv;
  /** Progress, and reports of processes that ended by themselves; silent when absent. */
  say?: (line: string) => void;
  /** Gives the start up: what was started is stopped again and the start rejects. */
  signal?: AbortSignal;
};

/**
 * Starts the whole system on native servers and provisions the demo tenants. What does not depend
 * on each other starts together. When any of it fails, everything is stopped again.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { state, ports, say = () => undefined, signal } = options;
  await requireFreePorts(ports);
  makeStateDir(state);
  const report = createRunReport(state.runFile);
  const shutdown = createShutdown(say);
  const stop = () => shutdown.run().finally(report.close);
  const steps = createSteps(say, signal);
  try {
    return { ...(await startAll({ options, say, steps, report, shutdown })), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export type Start = {
  options: StackOptions;
  say: (line: string) => void;
  steps: Steps;
  report: RunReport;
  shutdown: Shutdown;
};

async function startAll(start: Start): Promise<Omit<Stack, 'stop'>> {
  const { options, say, steps, report, shutdown } = start;
  const { state, ports } = options;
  const secrets = ensureSecrets(state.secretsFile);
  const passwords = ensurePasswords(state.passwordsFile);

  const receiver = startDemoReceiver({
    state,
    port: ports.demoReceiver,
    webhookKey: secrets.demoWebhookKey,
    file: await ownFile(state, 'demo-receiver', 'received.jsonl'),
    say,
    onChange: report.write,
  });
  shutdown.add('receiver', () => receiver.stop());
  report.watch(() => [receiver]);

  const { tls = false, brokers = 1, kafkaIndirect: indirect, disks = {} } = options;
  const servers = await startServers({
    ...{ state, ports, steps, report, shutdown, passwords, tls, brokers, indirect, disks },
  });
  const addresses = serverAddresses(servers);
  const { kafkaBrokers, caFile } = addresses;
  const kafka = {
    ...{ kafkaBrokers, kafkaSasl: adminSasl(passwords) },
    ...(caFile !== undefined && { caFile }),
  };
  await steps.run('topics', async () => {
    await ensureKafkaRights(state, addresses, passwords);
    await createTopics(state, { servers: addresses, passwords, brokers });
  });
  const internal = {
    attributionUrl: `http://127.0.0.1:${ports.attributionAdmin}`,
    rewardsUrl: `http://127.0.0.1:${ports.rewardsAdmin}`,
    webhookDispatcherUrl: `http://127.0.0.1:${ports.webhookDispatcherAdmin}`,
    replayUrl: `http://127.0.0.1:${ports.replayAdmin}`,
    processorEventsUrl: `http://127.0.0.1:${ports.processorEventsAdmin}`,
  };
  const values = deploymentVariables({
    internal,
    receivers: receiversOfThisMachine,
    stripe: stripeAccessFrom(options.env ?? {}, `http://127.0.0.1:${ports.edge}`),
    secrets,
    places: { replayDir: await ownDirectory(state, 'replay') },
  });
  const reached = (await options.reach?.(addresses)) ?? addresses;
  const services = await startServices(start, { values, servers: reached, passwords, brokers });
  const edge = await steps.run(`edge on port ${ports.edge}`, () =>
    startEdge({ state, ports, services }),
  );
  shutdown.add('edge', () => edge.stop());
  report.watch(() => [{ name: 'edge', pid: edge.pid, port: ports.edge }]);
  const edgeMetrics = startEdgeMetrics({ state, ports, say, onChange: report.write });
  shutdown.add('edge', () => edgeMetrics.stop());
  report.watch(() => [edgeMetrics]);

  const waits = [...Object.values(services), edgeMetrics].map((one) =>
    steps.run(`${one.name} is ready`, () => one.ready()),
  );
  await Promise.all(waits);
  const demo = await steps.run('demo tenants', () =>
    makeDemo(options, { servers: addresses, secrets, passwords }),
  );
  const port = ports.demoShop;
  const file = await ownFile(state, 'demo-shop', 'demo-shop.json');
  const shop = startDemoShop({ state, port, demo, file, say, onChange: report.write });
  shutdown.add('receiver', () => shop.stop());
  report.watch(() => [shop]);
  await steps.run(`demo shop on port ${port}`, () => shop.ready());
  report.ready();
  return { demo, services, servers, kafka, passwords, edge, edgeMetrics, receiver, shop };
}

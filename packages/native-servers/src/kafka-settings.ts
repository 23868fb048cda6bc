import { join } from 'node:path';
import type { ServerTls } from './certificates.ts';
import { accessProperties, type KafkaAdmin } from './kafka-access.ts';

/** For clients who come by way of something else: where it listens, and where they are sent to. */
export type IndirectListener = { port: number; advertisedPort: number };

export type KafkaNode = {
  dir: string;
  port: number;
  /** IPv4 address that clients reach it by. */
  address: string;
  /** The port of the one controller; this node holds it unless it only joins. */
  controllerPort: number;
  nodeId: number;
  /** A broker only, in the cluster of the node that holds the controller. */
  joins: boolean;
  /** Absent: whoever reaches it may do everything. */
  admin?: KafkaAdmin | undefined;
  /** A second listener, see {@link KafkaOptions}. */
  indirect?: IndirectListener | undefined;
  /** For clients with a password only. */
  tls?: ServerTls | undefined;
  extra: Record<string, string>;
};

const controllerNodeId = 1;

/** server.properties of one KRaft node on loopback: one controller, small and quick to start. */
export function kafkaProperties(node: KafkaNode): string {
  const { dir, port, address, controllerPort, nodeId, joins, admin, indirect, tls, extra } = node;
  const at = (direct: number, other: number | undefined) =>
    [`CLIENT://${address}:${direct}`, ...(other ? [`INDIRECT://${address}:${other}`] : [])].join();
  const clients = at(port, indirect?.port);
  const clientListeners = ['CLIENT', ...(indirect ? ['INDIRECT'] : [])];
  const properties: Record<string, string> = {
    'process.roles': joins ? 'broker' : 'broker,controller',
    'node.id': String(nodeId),
    'controller.quorum.voters': `${controllerNodeId}@127.0.0.1:${controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: joins ? clients : `${clients},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': at(port, indirect?.advertisedPort),
    'inter.broker.listener.name': 'CLIENT',
    'listener.security.protocol.map': ['CONTROLLER', ...clientListeners]
      .map((name) => `${name}:PLAINTEXT`)
      .join(),
    'log.dirs': join(dir, 'data'),
    ...quietProperties,
    ...(admin === undefined ? {} : accessProperties(admin, { clientListeners, tls })),
    ...extra,
  };
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}`);
  return `${lines.join('\n')}\n`;
}

/**
 * What every single Kafka of ours has, in a process or in a container. Topics come from topic
 * creation only; a consumer group starts without the wait for more members.
 */
export const quietProperties: Record<string, string> = {
  'auto.create.topics.enable': 'false',
  'default.replication.factor': '1',
  'min.insync.replicas': '1',
  'offsets.topic.replication.factor': '1',
  'offsets.topic.num.partitions': '4',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'transaction.state.log.num.partitions': '1',
  'share.coordinator.state.topic.replication.factor': '1',
  'share.coordinator.state.topic.min.isr': '1',
  'group.initial.rebalance.delay.ms': '0',
  // Consumers of tests ask for a short one, see testkit/session-timeout.ts.
  'group.min.session.timeout.ms': '1000',
  'log.cleaner.dedupe.buffer.size': '16777216',
  'num.network.threads': '2',
  'num.io.threads': '4',
  'background.threads': '2',
  // A killed broker may come back under the same id as soon as this has passed.
  'broker.session.timeout.ms': '3000',
  'broker.heartbeat.interval.ms': '500',
};

/** log4j2 to the console, which is the log file of the process. */
export const kafkaLogging = `Configuration:
  Appenders: { Console: { name: CONSOLE, target: SYSTEM_OUT, PatternLayout: { pattern: "[%d] %p %m (%c)%n" } } }
  Loggers: { Root: { level: INFO, AppenderRef: [{ ref: CONSOLE }] } }
`;

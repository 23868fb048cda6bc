import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ServerTls } from './certificates.ts';
import type { KafkaAdmin } from './kafka-access.ts';
import {
  type IndirectListener,
  kafkaLogging,
  kafkaProperties,
  type KafkaNode,
} from './kafka-settings.ts';
import { readLog } from './log-tail.ts';
import { startNativeServer, type NativeServer, type ServerOptions } from './native-server.ts';
import { runToEnd } from './run-as.ts';
import { writeAnew } from './write-anew.ts';

export type KafkaOptions = ServerOptions & {
  controllerPort: number;
  /** Default 1. A broker that joins another needs a number of its own. */
  nodeId?: number;
  /** Clients need a password, and a right for all they do; this one may do everything. */
  admin?: KafkaAdmin;
  /** Encrypted, for a broker with `admin`. */
  tls?: ServerTls | undefined;
  /**
   * A second listener, whose clients are told to come to another port: for what stands in between,
   * such as a proxy. Who comes by the first one is told of the first one.
   */
  indirect?: IndirectListener | undefined;
  /** Further lines of server.properties; they win. */
  properties?: Record<string, string>;
  /**
   * Starts a second broker in the cluster of that one; `controllerPort` is then its controller's.
   */
  joins?: { clusterId: string };
  /** Where Kafka's jars are. Default: the cache that the set-up fills. */
  libs?: string;
  /** Writes the classes that it has loaded there when it ends. */
  archiveTo?: string;
};

export type KafkaServer = NativeServer & {
  readonly brokers: string;
  readonly clusterId: string;
};

/** Kafka 4 in KRaft mode as one JVM, ready when it says that it has started. */
export async function startKafka(options: KafkaOptions): Promise<KafkaServer> {
  const { dir, port, controllerPort, joins, nodeId = 1, address = '127.0.0.1' } = options;
  const libs = options.libs ?? kafkaLibs();
  if (!existsSync(libs)) {
    throw new Error(`Kafka's jars are missing (${libs}); npm start or npm test puts them there`);
  }
  await mkdir(dir, { recursive: true });
  const clusterId = joins?.clusterId ?? (await ownClusterId(dir));
  const settings = join(dir, 'server.properties');
  const node: KafkaNode = {
    ...{ dir, port, address, controllerPort, nodeId },
    joins: joins !== undefined,
    admin: options.admin,
    indirect: options.indirect,
    tls: options.tls,
    extra: options.properties ?? {},
  };
  const java = (mainClass: string, ...args: string[]): [string, ...string[]] => [
    javaCommand(),
    ...jvmFlags,
    ...(options.archiveTo ? [] : archiveFlags(libs)),
    `-Dlog4j2.configurationFile=${join(dir, 'log4j2.yaml')}`,
    ...['-cp', join(libs, '*'), mainClass, ...args],
  ];

  const [command, ...args] = java('kafka.Kafka', settings);
  if (options.archiveTo) args.unshift(`-XX:ArchiveClassesAtExit=${options.archiveTo}`);
  const server = await startNativeServer({
    ...options,
    name: 'kafka',
    command,
    args,
    stopSignal: 'SIGTERM',
    reach: join(libs, 'jars'),
    otherPorts: [
      ...(joins === undefined ? [controllerPort] : []),
      ...(options.indirect === undefined ? [] : [options.indirect.port]),
    ],
    async prepare() {
      // It may hold a password.
      await writeAnew(settings, kafkaProperties(node), 0o600);
      await writeAnew(join(dir, 'log4j2.yaml'), kafkaLogging);
      if (existsSync(join(dir, 'data', 'meta.properties'))) return;
      const format = ['format', '--cluster-id', clusterId, '--config', settings];
      await runToEnd(java('kafka.tools.StorageTool', ...format), { cwd: dir });
    },
    isReady: async (logFile, from) => (await readLog(logFile, from)).includes(startedLine),
  });
  return Object.assign(server, { brokers: `${address}:${port}`, clusterId });
}

const startedLine = 'Kafka Server started';

// A short life on a small machine: no second compiler tier, no concurrent collector.
const jvmFlags = [
  ...['-Xms128m', '-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'],
  ...['-XX:-UsePerfData', '-Djava.awt.headless=true', '-XX:+ExitOnOutOfMemoryError'],
];

/**
 * Classes as an earlier Kafka had loaded them; the set-up puts them beside the jars. The file is
 * empty where that is not to be had, and passed over by a Java that did not write it.
 */
function archiveFlags(libs: string): string[] {
  const archive = join(dirname(libs), 'classes.jsa');
  const isThere = (statSync(archive, { throwIfNoEntry: false })?.size ?? 0) > 0;
  return isThere ? [`-XX:SharedArchiveFile=${archive}`] : [];
}

function javaCommand(): string {
  const home = process.env['JAVA_HOME'];
  return home === undefined || home === '' ? 'java' : join(home, 'bin', 'java');
}

function kafkaLibs(): string {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'tributary', 'kafka-4.1.1', 'libs');
}

/** Made once per directory, so that a wiped one is a cluster that clients have not met. */
async function ownClusterId(dir: string): Promise<string> {
  const file = join(dir, 'cluster-id');
  if (existsSync(file)) return (await readFile(file, 'utf8')).trim();
  const clusterId = randomBytes(16).toString('base64url').replace(/^-/, 'A');
  await writeFile(file, `${clusterId}\n`);
  return clusterId;
}

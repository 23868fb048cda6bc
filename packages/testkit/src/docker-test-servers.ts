import { buffer } from 'node:stream/consumers';
import {
  GenericContainer,
  Network,
  Wait,
  getContainerRuntimeClient,
  type StartedTestContainer,
} from 'testcontainers';
import { kafkaLogging, quietProperties } from '@tributary/native-servers/kafka-settings';
import { freePort, freePorts } from './free-port.ts';
import { removeAbandoned, ownerLabels } from './docker-leftovers.ts';
import { testDatabase, type ServerKind, type TestServer } from './test-server.ts';

// Containers of the official images. Each publishes a host port that is chosen here and fixed, as
// a container that is started again would otherwise come up on another one, and because Kafka has
// to be told the port by which it is reached.

export async function startInDocker(kind: ServerKind): Promise<TestServer> {
  await removeAbandoned();
  return starters[kind]();
}

const starters: Record<ServerKind, () => Promise<TestServer>> = {
  async kafka() {
    const port = await freePort();
    const container = await kafkaContainer({ port, nodeId: 1 }).start();
    return toTestServer('kafka', container, `127.0.0.1:${port}`);
  },
  async redis() {
    const port = await freePort();
    const container = await prepared('redis:7-bookworm')
      .withExposedPorts({ container: 6379, host: port })
      .withCommand(['redis-server', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'])
      .withWaitStrategy(Wait.forLogMessage('Ready to accept connections'))
      .start();
    return toTestServer('redis', container, `redis://127.0.0.1:${port}`);
  },
  async postgres() {
    const port = await freePort();
    const container = await prepared('postgres:15-bookworm')
      .withExposedPorts({ container: 5432, host: port })
      .withEnvironment({ POSTGRES_HOST_AUTH_METHOD: 'trust', POSTGRES_DB: testDatabase })
      .withCommand(['postgres', ...postgresFlags])
      // The image's first start runs a server for its set-up scripts without TCP, then the real
      // one; the check goes through TCP, so it sees the real one only.
      .withWaitStrategy(Wait.forSuccessfulCommand('pg_isready -h 127.0.0.1 -U postgres'))
      .start();
    const url = `postgresql://postgres@127.0.0.1:${port}/${testDatabase}`;
    return toTestServer('postgres', container, url);
  },
};

const postgresFlags = ['fsync=off', 'full_page_writes=off', 'max_connections=600'].flatMap(
  (setting) => ['-c', setting],
);

/** Two brokers of one cluster on a network of their own; the first one holds the controller. */
export async function startDockerKafkaPair(): Promise<[TestServer, TestServer]> {
  await removeAbandoned();
  const network = await new Network().start();
  const [port = 0, secondPort = 0] = await freePorts(2);
  const first = await kafkaContainer({ port, nodeId: 1 })
    .withNetwork(network)
    .withHostname('kafka-1')
    .start();
  const second = await kafkaContainer({ port: secondPort, nodeId: 2 })
    .withNetwork(network)
    .withHostname('kafka-2')
    .start();
  const [one, two] = [
    toTestServer('kafka', first, `127.0.0.1:${port}`),
    toTestServer('kafka', second, `127.0.0.1:${secondPort}`),
  ];
  const stopLast = async () => {
    await one.stop();
    await network.stop();
  };
  return [{ ...one, stop: stopLast }, two];
}

/** Node 1 is broker and controller, node 2 a broker in its cluster. */
function kafkaContainer(node: { port: number; nodeId: 1 | 2 }): GenericContainer {
  const { port, nodeId } = node;
  const properties: Record<string, string> = {
    'process.roles': nodeId === 1 ? 'broker,controller' : 'broker',
    'node.id': String(nodeId),
    'controller.quorum.voters': nodeId === 1 ? '1@localhost:9093' : '1@kafka-1:9093',
    'controller.listener.names': 'CONTROLLER',
    // The same port inside and outside, so that the broker can also reach itself by it.
    listeners: [
      ...[`PLAINTEXT://:${port}`, 'INTERNAL://:9094'],
      ...(nodeId === 1 ? ['CONTROLLER://:9093'] : []),
    ].join(','),
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port},INTERNAL://kafka-${nodeId}:9094`,
    'inter.broker.listener.name': 'INTERNAL',
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,INTERNAL:PLAINTEXT',
    ...quietProperties,
  };
  const variables = Object.entries(properties).map(([name, value]): [string, string] => {
    return [toVariable(name), value];
  });
  return (
    prepared('apache/kafka:4.1.1')
      .withExposedPorts({ container: port, host: port })
      .withEnvironment({
        ...Object.fromEntries(variables),
        CLUSTER_ID: '5L6g3nShT-eMCtK--X86sw',
        KAFKA_HEAP_OPTS: '-Xms128m -Xmx512m',
      })
      // A logging configuration of our own, because the image rewrites its default one in place and
      // stops where that cannot be written.
      .withCopyContentToContainer([
        { content: kafkaLogging, target: '/mnt/shared/config/log4j2.yaml', mode: 0o644 },
      ])
      .withWaitStrategy(Wait.forLogMessage('Kafka Server started'))
  );
}

/** `log.dirs` → KAFKA_LOG_DIRS, as the image reads it. */
function toVariable(property: string): string {
  return `KAFKA_${property.toUpperCase().replaceAll('.', '_')}`;
}

function prepared(image: string): GenericContainer {
  return new GenericContainer(image).withLabels(ownerLabels()).withStartupTimeout(120_000);
}

function toTestServer(
  kind: ServerKind,
  container: StartedTestContainer,
  address: string,
): TestServer {
  const engine = async () =>
    (await getContainerRuntimeClient()).container.getById(container.getId());
  return {
    kind,
    address,
    kill: async () => {
      const handle = await engine();
      await handle.kill({ signal: 'SIGKILL' });
      await handle.wait();
    },
    restart: async () => {
      const handle = await engine();
      if ((await handle.inspect()).State.Paused) await handle.unpause();
      await container.restart({ timeout: 20 });
    },
    pause: async () => void (await (await engine()).pause()),
    resume: async () => void (await (await engine()).unpause()),
    async readData(path) {
      const archive = await container.copyArchiveFromContainer(`${dataDirectories[kind]}/${path}`);
      return onlyFileOf(await buffer(archive));
    },
    writeData: (path, content) =>
      container.copyContentToContainer([
        { content, target: `${dataDirectories[kind]}/${path}`, mode: 0o666 },
      ]),
    stop: async () => {
      await (await engine()).remove({ force: true, v: true });
    },
  };
}

const dataDirectories: Record<ServerKind, string> = {
  kafka: '/tmp/kraft-combined-logs',
  redis: '/data',
  postgres: '/var/lib/postgresql/data',
};

/** A tar archive of one file: a header block that has its size in octal, then its content. */
function onlyFileOf(archive: Buffer): Buffer {
  const size = parseInt(archive.toString('latin1', 124, 136), 8);
  return archive.subarray(512, 512 + size);
}

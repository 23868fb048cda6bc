import { accessSync, constants, statfsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { startKafka } from '@tributary/native-servers/kafka';
import type { NativeServer } from '@tributary/native-servers/native-server';
import { stopLeftover } from '@tributary/native-servers/ownership';
import { startPostgres } from '@tributary/native-servers/postgres';
import { startRedis } from '@tributary/native-servers/redis';
import { freePort, freePorts } from './free-port.ts';
import { testDatabase, type ServerKind, type TestServer } from './test-server.ts';

export async function startNative(kind: ServerKind): Promise<TestServer> {
  return starters[kind](await freshDirectory(kind));
}

const starters: Record<ServerKind, (dir: string) => Promise<TestServer>> = {
  async kafka(dir) {
    const [port = 0, controllerPort = 0] = await freePorts(2);
    const server = await startKafka({ dir, port, controllerPort });
    return toTestServer('kafka', server, server.brokers);
  },
  async redis(dir) {
    const server = await startRedis({ dir, port: await freePort() });
    return toTestServer('redis', server, server.url);
  },
  async postgres(dir) {
    const options = { dir, port: await freePort(), database: testDatabase, durable: false };
    const server = await startPostgres(options);
    return toTestServer('postgres', server, server.url);
  },
};

/** Two brokers of one cluster; the first one also holds the controller. */
export async function startNativeKafkaPair(): Promise<[TestServer, TestServer]> {
  const [port = 0, controllerPort = 0, secondPort = 0] = await freePorts(3);
  const first = await startKafka({ dir: await freshDirectory('kafka'), port, controllerPort });
  const joins = { clusterId: first.clusterId };
  const dir = await freshDirectory('kafka');
  const second = await startKafka({ dir, port: secondPort, controllerPort, nodeId: 2, joins });
  return [
    toTestServer('kafka', first, first.brokers),
    toTestServer('kafka', second, second.brokers),
  ];
}

export function toTestServer(kind: ServerKind, server: NativeServer, address: string): TestServer {
  return {
    kind,
    address,
    kill: () => server.kill(),
    restart: () => server.restart(),
    pause: () => server.pause(),
    resume: () => server.resume(),
    readData: (path) => readFile(join(server.dir, 'data', path)),
    writeData: (path, content) => writeFile(join(server.dir, 'data', path), content),
    async stop() {
      await server.kill(); // The data goes too, so there is nothing to end well.
      await rm(server.dir, { recursive: true, force: true });
    },
  };
}

const memory = '/dev/shm';

// One per OS user, as nobody can clear away what is another's.
const rootIn = (dir: string) => join(dir, `tributary-test-${userInfo().uid}`);

/**
 * In memory where there is room for it: databases and topics of tests are made and removed by the
 * thousand, each with hundreds of files, which is much work for the file system of a disk.
 */
function chooseRoot(): string {
  return rootIn(hasRoom(memory) ? memory : tmpdir());
}

function hasRoom(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK);
    const { type, bavail, bsize } = statfsSync(dir);
    return type === tmpfs && Math.min(bavail * bsize, process.availableMemory()) > enoughBytes;
  } catch {
    return false;
  }
}

/** As statfs(2) calls it. */
const tmpfs = 0x01021994;

/** The servers of a whole run have less than one GiB; the tests need memory, too. */
const enoughBytes = 8 * 2 ** 30;

/** A directory that names its process, so that what a killed run left is found by the next. */
export async function freshDirectory(kind: string): Promise<string> {
  for (const root of [memory, tmpdir()].map(rootIn)) {
    const names = await readdir(root).catch(() => []);
    for (const name of names) await removeLeftover(root, name);
  }
  const root = chooseRoot();
  await mkdir(root, { recursive: true });
  return mkdtemp(join(root, `${process.pid}-${kind}-`));
}

/**
 * Its server may run on, and others may be removing it too: what resists is left to the next start.
 */
async function removeLeftover(root: string, name: string): Promise<void> {
  const [pid, kind = ''] = name.split('-');
  if (livesStill(Number(pid))) return;
  const dir = join(root, name);
  await stopLeftover(dir, kind);
  await rm(dir, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
}

function livesStill(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

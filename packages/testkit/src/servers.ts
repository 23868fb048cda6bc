import { readFile } from 'node:fs/promises';
import { startServer } from './start-server.ts';
import type { TestServer } from './test-server.ts';

// One Kafka, one Redis and one Postgres for a whole mocha run, shared by all spec files: each file
// takes a database and a topic prefix of its own. They come from the test runner, which names
// them in the file TRIBUTARY_TEST_SERVERS, or are started at first use and stopped by the root
// hook in mocha-hooks.ts. Whoever wants to kill one takes its own from owned-servers.ts.

export type Servers = { kafkaBrokers: string; redisUrl: string; postgresUrl: string };

let shared: Promise<Servers> | undefined;
const started: TestServer[] = [];

export function getServers(): Promise<Servers> {
  shared ??= findOrStart();
  return shared;
}

/** Stops what getServers started in this process; what the test runner started stays. */
export async function stopServers(): Promise<void> {
  await shared?.catch(() => undefined);
  shared = undefined;
  await Promise.all(started.splice(0).map((server) => server.stop()));
}

async function findOrStart(): Promise<Servers> {
  const file = process.env['TRIBUTARY_TEST_SERVERS'];
  if (file !== undefined && file !== '') {
    return JSON.parse(await readFile(file, 'utf8')) as Servers;
  }
  return startAll();
}

async function startAll(): Promise<Servers> {
  const start = async (kind: TestServer['kind']): Promise<string> => {
    const server = await startServer(kind);
    started.push(server);
    return server.address;
  };
  const [kafkaBrokers, redisUrl, postgresUrl] = await Promise.all([
    start('kafka'),
    start('redis'),
    start('postgres'),
  ]);
  return { kafkaBrokers, redisUrl, postgresUrl };
}

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startKafka } from '@tributary/native-servers/kafka';
import { type PostgresServer, startPostgres } from '@tributary/native-servers/postgres';
import { freePorts } from '@tributary/testkit/free-port';
import { withClient } from '@tributary/testkit/database';
import { cpuSeconds, cpuSecondsWithChildren } from '../process-cpu.ts';

/** Kafka and Postgres as the local stack starts them: durable, and on two cores with all others. */
export async function startBenchServers() {
  const cores = await keepToTwoCores();
  const root = await mkdtemp(join(tmpdir(), 'tributary-bench-'));
  const [kafkaPort, controllerPort, postgresPort] = (await freePorts(3)) as [
    number,
    number,
    number,
  ];
  const kafkaDir = join(root, 'kafka');
  const started = await Promise.allSettled([
    startKafka({ dir: kafkaDir, port: kafkaPort, controllerPort }),
    startPostgres({ dir: join(root, 'postgres'), port: postgresPort, database: 'bench' }),
  ]);
  const stop = async () => {
    for (const server of started) if (server.status === 'fulfilled') await server.value.stop();
    await rm(root, { recursive: true, force: true });
  };
  const [kafka, postgres] = started;
  if (kafka.status === 'rejected' || postgres.status === 'rejected') {
    await stop();
    throw new Error('the servers do not start', {
      cause: [kafka, postgres].map((s) => (s.status === 'rejected' ? (s.reason as Error) : null)),
    });
  }
  const adminUrl = new URL(postgres.value.url);
  await prepareToMeasure(postgres.value);
  return {
    cores,
    logs: root,
    kafkaBrokers: kafka.value.brokers,
    pids: { postgres: postgres.value.pid, kafka: kafka.value.pid },
    /** What the two have used so far. */
    cpuSeconds: () => ({
      postgres: cpuSecondsWithChildren(postgres.value.pid),
      kafka: cpuSeconds(kafka.value.pid),
    }),
    /** An empty database of its own for each part of the benchmark. */
    async createDatabase(name: string): Promise<string> {
      const url = new URL(adminUrl);
      await withClient(url.href, (db) => db.query(`create database ${name}`));
      url.pathname = `/${name}`;
      return url.href;
    },
    dropDatabase: (name: string) =>
      withClient(adminUrl.href, (db) => db.query(`drop database ${name} with (force)`)),
    /** Bytes of a topic's records on the broker's disk, indexes left out. */
    topicBytes: async (topic: string) => (await topicBytesIn(kafkaDir))[topic] ?? 0,
    stop,
  };
}

export type BenchServers = Awaited<ReturnType<typeof startBenchServers>>;

/**
 * Statements are counted where a part of the benchmark asks for it (cost-meter.ts); elsewhere the
 * library is loaded and idle. What the benchmark asks while others are measured, it asks under a
 * role of its own.
 */
async function prepareToMeasure(postgres: PostgresServer): Promise<void> {
  await withClient(postgres.url, async (db) => {
    await db.query(`create role ${ownRole} superuser login`);
    await db.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
  });
  await postgres.restart();
  await withClient(postgres.url, async (db) => {
    await db.query(`alter system set pg_stat_statements.track = 'none'`);
    await db.query('select pg_reload_conf()');
  });
}

/** What the segments of every topic of a broker take on disk, their indexes left out. */
export async function topicBytesIn(kafkaDir: string): Promise<Record<string, number>> {
  const bytes: Record<string, number> = {};
  const data = join(kafkaDir, 'data');
  for (const partition of await readdir(data, { withFileTypes: true })) {
    const topic = partition.name.replace(/-\d+$/, '');
    if (!partition.isDirectory() || topic === partition.name) continue;
    for (const file of await readdir(join(data, partition.name))) {
      if (!file.endsWith('.log')) continue;
      const { size } = await stat(join(data, partition.name, file));
      bytes[topic] = (bytes[topic] ?? 0) + size;
    }
  }
  return bytes;
}

export const ownRole = 'bench';

/** The same database, under the role of the benchmark. */
export function asOwnRole(url: string): string {
  return Object.assign(new URL(url), { username: ownRole }).href;
}

/** This process, and with it all that it starts. */
export async function keepToTwoCores(): Promise<number> {
  if (availableParallelism() > 2) {
    await promisify(execFile)('taskset', ['-acp', '0,1', String(process.pid)]);
  }
  return Math.min(2, availableParallelism());
}

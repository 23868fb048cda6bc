import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startKafka } from '@tributary/native-servers/kafka';
import { startPostgres } from '@tributary/native-servers/postgres';
import { freePorts } from '@tributary/testkit/free-port';
import pg from 'pg';
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
  return {
    cores,
    logs: root,
    kafkaBrokers: kafka.value.brokers,
    /** What the two have used so far. */
    cpuSeconds: () => ({
      postgres: cpuSecondsWithChildren(postgres.value.pid),
      kafka: cpuSeconds(kafka.value.pid),
    }),
    /** An empty database of its own for each part of the benchmark. */
    async createDatabase(name: string): Promise<string> {
      const url = new URL(postgres.value.url);
      await withClient(url.href, (db) => db.query(`create database ${name}`));
      url.pathname = `/${name}`;
      return url.href;
    },
    /** Bytes of a topic's records on the broker's disk, indexes left out. */
    async topicBytes(topic: string): Promise<number> {
      let bytes = 0;
      const data = join(kafkaDir, 'data');
      for (const partition of await readdir(data)) {
        if (partition.replace(/-\d+$/, '') !== topic) continue;
        for (const file of await readdir(join(data, partition))) {
          if (file.endsWith('.log')) bytes += (await stat(join(data, partition, file))).size;
        }
      }
      return bytes;
    },
    stop,
  };
}

export type BenchServers = Awaited<ReturnType<typeof startBenchServers>>;

export async function withClient<T>(url: string, work: (db: pg.Client) => Promise<T>): Promise<T> {
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}

/** This process, and with it all that it starts. */
async function keepToTwoCores(): Promise<number> {
  if (availableParallelism() > 2) {
    await promisify(execFile)('taskset', ['-acp', '0,1', String(process.pid)]);
  }
  return Math.min(2, availableParallelism());
}

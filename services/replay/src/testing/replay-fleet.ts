import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkServiceAnswer } from '@tributary/contracts/testing/admin-answers';
import { createKafka } from '@tributary/event-log/kafka';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { createLogger } from '@tributary/runtime/logger';
import { createPool } from '@tributary/runtime/postgres';
import { createDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import type pg from 'pg';
import type { Job, JobStatus } from '../db/job.ts';
import type { ReplaySettings } from '../settings.ts';

/** Replicas of the service as processes, on a database, topics and a directory of their own. */
export type ReplayFleet = {
  pool: pg.Pool;
  settings: ReplaySettings;
  launch(): Promise<Replica>;
  /** What the running job's directory is; it need not exist. */
  dirOf(job: Job): string;
  end(): Promise<void>;
};

export type Replica = {
  kill(signal: NodeJS.Signals): Promise<void>;
  ask(method: 'GET' | 'POST', path: string, body?: unknown): Promise<{ status: number; body: Job }>;
  /** Asks for a job of testing/kinds.ts. */
  begin(scenario: string): Promise<Job>;
  job(jobId: string): Promise<Job>;
  until(jobId: string, status: JobStatus, deadlineMs?: number): Promise<Job>;
};

const token = 'only-between-these-processes';

export async function createReplayFleet(): Promise<ReplayFleet> {
  const { kafkaBrokers } = await getServers();
  const database = await createDatabase();
  const logger = createLogger({ service: 'test', level: 'silent' });
  const topics = { prefix: uniquePrefix(), generation: 1, replication: 1, minInsync: 1 };
  const kafka = { brokers: kafkaBrokers.split(',') };
  const connection = createKafka({ settings: kafka, clientId: 'test', logger });
  await createTopics({ kafka: connection, topics: topicSpecs(topics), logger });
  const dir = await mkdtemp(join(tmpdir(), 'tributary-replay-'));
  const settings: ReplaySettings = {
    host: '127.0.0.1',
    adminPort: 0,
    logLevel: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    internalTokens: [token],
    kafka,
    postgres: { url: database.url, schema: 'replay', poolSize: 5 },
    readModelUrls: [],
    generationsSchema: 'generations',
    topics,
    attributionUrl: 'http://127.0.0.1:1',
    rewardsUrl: 'http://127.0.0.1:1',
    dir,
    workers: 2,
    yieldLag: 500,
  };
  const pool = createPool(settings.postgres, { applicationName: 'test', logger });
  const processes: ChildProcess[] = [];

  async function launch(): Promise<Replica> {
    const child = fork(program, [JSON.stringify(settings)], { stdio: 'inherit' });
    processes.push(child);
    const exited = once(child, 'exit');
    const [{ adminPort }] = (await once(child, 'message')) as [{ adminPort: number }];
    const ask: Replica['ask'] = async (method, path, body) => {
      const response = await fetch(`http://127.0.0.1:${adminPort}/internal/${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const answer = { status: response.status, body: (await response.json()) as Job };
      checkServiceAnswer('replay', { method, path: `/${path}` }, answer);
      return answer;
    };
    const job = async (jobId: string) => (await ask('GET', `jobs/${jobId}`)).body;
    return {
      ask,
      job,
      async kill(signal) {
        child.kill(signal);
        await exited;
      },
      async begin(userId) {
        const { body } = await ask('POST', 'jobs', {
          ...{ kind: 'verify', by: 'olga', params: { userId } },
        });
        return body;
      },
      until: (jobId, status, deadlineMs = 20_000) =>
        eventually(
          async () => {
            const found = await job(jobId);
            if (found.status !== status) throw new Error(JSON.stringify(found));
            return found;
          },
          { deadlineMs },
        ),
    };
  }

  return {
    pool,
    settings,
    launch,
    dirOf: ({ jobId }) => join(dir, 'jobs', jobId),
    async end() {
      for (const child of processes) child.kill('SIGKILL');
      await pool.end();
      await database.drop();
      await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

/** Whether there is such a process, and not only its remains that nobody took. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

const program = fileURLToPath(new URL('./replay-process.ts', import.meta.url));

import { makeWorkerUtils } from 'graphile-worker';
import { join } from 'node:path';
import pg from 'pg';
import { cpuSeconds } from '../process-cpu.ts';
import { startChild } from './child.ts';
import type { Delivery } from './deliveries.ts';
import { keyRing } from './endpoints.ts';
import type { GraphileSettings } from './graphile-process.ts';
import type { System } from './system.ts';
import { relationBytes } from './relation-bytes.ts';

/**
 * graphile-worker with what its makers advise for many small jobs: jobs fetched and completed in
 * batches. It forgets a job that is done; with `writesAttempts` each job leaves a row, as ours do.
 */
export function graphileWorker(options: {
  concurrency: number;
  localQueue: number;
  writesAttempts: boolean;
}): System {
  const { concurrency, localQueue, writesAttempts } = options;
  return {
    name: writesAttempts ? 'graphile-worker, attempts logged' : 'graphile-worker',
    about: `concurrency ${concurrency}, local queue ${localQueue}, completed in batches`,

    async open({ name, servers, endpoints, nodeOptions }) {
      const connectionString = await servers.createDatabase(name);
      const pool = new pg.Pool({ connectionString, max: 4 });
      pool.on('error', console.error);
      pool.on('connect', (client) => client.on('error', console.error));
      const utils = await makeWorkerUtils({ pgPool: pool });
      await utils.migrate();
      await pool.query(attemptTable);
      const settings: GraphileSettings = {
        ...{ keyRing, endpoints: [...endpoints] },
        ...{ connectionString, concurrency, localQueue, writesAttempts },
      };
      const child = await startChild({
        script: './graphile-process.ts',
        settings,
        logFile: join(servers.logs, 'graphile.log'),
        nodeOptions,
      });
      return {
        async load(deliveries) {
          for (let from = 0; from < deliveries.length; from += chunk) {
            await utils.addJobs(deliveries.slice(from, from + chunk).map(jobOf));
          }
          await pool.query('vacuum analyze');
          await pool.query('checkpoint');
        },
        go: async () => void (await child.ask('go')),
        async enqueue(delivery) {
          const { identifier, payload } = jobOf(delivery);
          await utils.addJob(identifier, payload);
        },
        async isDone() {
          const { rowCount } = await pool.query(
            'select 1 from graphile_worker._private_jobs limit 1',
          );
          return rowCount === 0;
        },
        cpuSeconds: () => ({
          sender: cpuSeconds(child.pid),
          postgres: servers.cpuSeconds().postgres,
        }),
        postgresBytes: () => relationBytes(pool, ['graphile_worker', 'public']),
        async close() {
          await child.kill();
          await utils.release();
          await pool.end();
        },
      };
    },
  };
}

const chunk = 5_000;

function jobOf({ endpoint, body, webhookEventId }: Delivery) {
  return { identifier: 'deliver', payload: { endpoint, body, webhookEventId } };
}

/** The columns of ours. */
const attemptTable = `
  create table attempt (
    webhook_event_id uuid not null,
    attempt integer not null,
    round integer not null,
    step integer not null,
    outcome text not null,
    result text not null,
    detail text,
    status_code integer,
    started_at timestamptz not null,
    duration_ms integer not null,
    answer_headers json,
    answer_body text,
    answer_cut boolean,
    primary key (webhook_event_id, attempt)
  );
  create index attempt_age on attempt using brin (started_at) with (autosummarize = on)`;

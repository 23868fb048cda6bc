import { Queue } from 'bullmq';
import { join } from 'node:path';
import { cpuSeconds } from '../process-cpu.ts';
import type { BullmqSettings } from './bullmq-process.ts';
import { startChild } from './child.ts';
import type { Delivery } from './deliveries.ts';
import { keyRing } from './endpoints.ts';
import type { System } from './system.ts';

/**
 * BullMQ on a Redis with AOF everysec and noeviction, as its makers advise. It records an attempt
 * by moving the job, of which it keeps the last thousand; Postgres is not asked.
 */
export function bullmq(concurrency: number): System {
  return {
    name: 'BullMQ',
    about: `concurrency ${concurrency}, AOF everysec, the last 1,000 kept`,

    async open({ name, servers, endpoints, nodeOptions }) {
      const { hostname: host, port } = new URL(servers.redis.url);
      const connection = { host, port: Number(port) };
      const queue = new Queue(name, { connection });
      await queue.waitUntilReady();
      const settings: BullmqSettings = {
        ...{ keyRing, endpoints: [...endpoints] },
        ...{ connection, queue: name, concurrency },
      };
      const child = await startChild({
        script: './bullmq-process.ts',
        settings,
        logFile: join(servers.logs, 'bullmq.log'),
        nodeOptions,
      });
      return {
        async load(deliveries) {
          for (let from = 0; from < deliveries.length; from += chunk) {
            await queue.addBulk(deliveries.slice(from, from + chunk).map(jobOf));
          }
        },
        go: async () => void (await child.ask('go')),
        async enqueue(delivery) {
          const { name: jobName, data, opts } = jobOf(delivery);
          await queue.add(jobName, data, opts);
        },
        async isDone() {
          const counts = await queue.getJobCounts('wait', 'active', 'delayed', 'prioritized');
          return Object.values(counts).every((count) => count === 0);
        },
        cpuSeconds: () => ({
          sender: cpuSeconds(child.pid),
          redis: cpuSeconds(servers.redis.pid),
        }),
        postgresBytes: async () => ({}),
        async close() {
          await child.kill();
          await queue.obliterate({ force: true });
          await queue.close();
        },
      };
    },
  };
}

const chunk = 1_000;

/** Retried like ours, as far as it can be told. */
function jobOf({ endpoint, body }: Delivery) {
  return {
    name: 'deliver',
    data: { endpoint, body },
    opts: { attempts: 12, backoff: { type: 'exponential', delay: 5_000 } },
  };
}

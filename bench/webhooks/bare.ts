import { join } from 'node:path';
import { cpuSeconds } from '../process-cpu.ts';
import type { BareSettings } from './bare-process.ts';
import { startChild } from './child.ts';
import { keyRing } from './endpoints.ts';
import type { System } from './system.ts';

/** The limit: the same client, as many at once, and nothing beside. It forgets what it did. */
export function bareLoop(concurrency: number): System {
  return {
    name: `bare loop, ${concurrency} at once`,
    about: 'nothing stored',

    async open({ name, servers, endpoints, nodeOptions }) {
      const settings: BareSettings = { keyRing, endpoints: [...endpoints], concurrency };
      const child = await startChild({
        script: './bare-process.ts',
        settings,
        logFile: join(servers.logs, 'bare.log'),
        nodeOptions,
      });
      return {
        load: async (deliveries) =>
          void (await child.ask('load', { series: name, count: deliveries.length })),
        go: async () => void (await child.ask('go')),
        enqueue: () => Promise.reject(new Error('a bare loop has no queue')),
        isDone: async () => (await child.ask('isDone')) as boolean,
        cpuSeconds: () => ({ sender: cpuSeconds(child.pid) }),
        postgresBytes: async () => ({}),
        close: () => child.kill(),
      };
    },
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../deploy/local/stack.ts';
import { residentMiB } from '../process-memory.ts';
import { runLoad } from './load.ts';
import { startServer } from './start-server.ts';

const secondsPerRun = 10;
const warmUpRequests = 100_000;

export type Memory = {
  requests: number;
  startMiB: number;
  endMiB: number;
  /** The largest seen between two runs. */
  maxMiB: number;
};

/**
 * Resident memory of an ingest-api process before and after many requests at full speed, half of
 * them keyed. The start is measured when it is warm: compiled, caches filled, heap grown.
 */
export async function measureMemory(
  stack: Stack,
  options: { token: string; requests: number; progress: (line: string) => void },
): Promise<Memory> {
  const { token, requests, progress } = options;
  const server = await startServer(stack, 'gathered');
  let sent = 0;
  const send = async (count: number, note: () => void): Promise<void> => {
    for (const until = sent + count; sent < until;) {
      for (const keyed of [false, true]) {
        const load = await runLoad({ url: server.url, token, keyed, seconds: secondsPerRun });
        sent += load.requests;
      }
      note();
    }
  };
  const settled = async (): Promise<number> => {
    await delay(3_000);
    return residentMiB(server.pid);
  };
  try {
    await send(Math.min(warmUpRequests, requests), () => undefined);
    const startMiB = await settled();
    const warmedUp = sent;
    let maxMiB = startMiB;
    await send(requests, () => {
      const nowMiB = residentMiB(server.pid);
      maxMiB = Math.max(maxMiB, nowMiB);
      progress(`after ${sent - warmedUp} requests: ${nowMiB} MiB`);
    });
    return { requests: sent - warmedUp, startMiB, endMiB: await settled(), maxMiB };
  } finally {
    await server.stop();
  }
}

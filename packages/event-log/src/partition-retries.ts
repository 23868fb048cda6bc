import { setTimeout as delay } from 'node:timers/promises';
import { type Gathered, partitionName, takeGather } from './gather.ts';

/**
 * Records of partitions that failed: one loop per sick partition sends it alone until it succeeds
 * or none of its records is wanted any more. A partition is sick until a send of it succeeds, at
 * most for half a minute after its last loop gave up: then the next gather may try it again.
 */
export function createPartitionRetries(options: {
  send: (records: readonly Gathered[]) => Promise<void>;
  onAcked: (records: readonly Gathered[]) => void;
  isLive: (record: Gathered) => boolean;
}) {
  const { send, onAcked, isLive } = options;
  const queues = new Map<string, Gathered[]>();
  const sickUntil = new Map<string, number>();
  let stopped = false;

  async function run(name: string): Promise<void> {
    let backOffMs = 25;
    for (;;) {
      const waiting = (queues.get(name) ?? []).filter(isLive);
      if (waiting.length === 0 || stopped) break;
      const { taken, rest } = takeGather(waiting, 500);
      queues.set(name, rest);
      try {
        await send(taken);
        onAcked(taken);
        sickUntil.delete(name);
        backOffMs = 25;
      } catch {
        sickUntil.set(name, performance.now() + 30_000);
        queues.set(name, [...taken, ...(queues.get(name) ?? [])]);
        await delay(backOffMs);
        backOffMs = Math.min(500, backOffMs * 2);
      }
    }
    queues.delete(name);
  }

  function isSick(name: string): boolean {
    return queues.has(name) || (sickUntil.get(name) ?? 0) > performance.now();
  }

  return {
    split(gathered: readonly Gathered[]): { healthy: Gathered[]; sick: Gathered[] } {
      if (queues.size === 0 && sickUntil.size === 0) return { healthy: [...gathered], sick: [] };
      const healthy: Gathered[] = [];
      const sick: Gathered[] = [];
      for (const record of gathered) (isSick(partitionName(record)) ? sick : healthy).push(record);
      return { healthy, sick };
    },

    add(records: readonly Gathered[]): void {
      const started: string[] = [];
      for (const record of records) {
        const name = partitionName(record);
        const queue = queues.get(name);
        if (queue) queue.push(record);
        else {
          queues.set(name, [record]);
          started.push(name);
        }
      }
      for (const name of started) void run(name);
    },

    stop(): void {
      stopped = true;
    },
  };
}

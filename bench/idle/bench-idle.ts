import { setTimeout as delay } from 'node:timers/promises';
import { startThrowawayStack } from '../../deploy/local/throwaway-stack.ts';
import { cpuSeconds } from '../process-cpu.ts';
import { residentMiB } from '../process-memory.ts';
import type { Benchmark } from '../report.ts';

const seconds = 20;

/** What each service costs when nobody asks anything of it: share of one core, and memory. */
export const benchIdle: Benchmark = async ({ progress }) => {
  progress('starting the stack');
  const stack = await startThrowawayStack();
  try {
    const replicas = Object.values(stack.services).flatMap((group) => group.replicas);
    await delay(5_000);
    progress(`watching ${replicas.length} idle services for ${seconds} s`);
    const before = replicas.map(({ pid }) => cpuSeconds(pid));
    await delay(seconds * 1_000);
    const shares = replicas.map(({ pid }, i) => (cpuSeconds(pid) - (before[i] ?? 0)) / seconds);
    const rows = replicas.map(({ name, pid }, i) => [
      name,
      `${((shares[i] ?? 0) * 100).toFixed(2)} %`,
      `${residentMiB(pid)} MiB`,
    ]);
    return {
      name: 'idle',
      figures: Object.fromEntries(
        replicas.map(({ name }, i) => [`${name} share of a core`, shares[i] ?? 0]),
      ),
      ratios: {},
      tables: [[['service', 'of one core', 'resident'], ...rows]],
    };
  } finally {
    await stack.stop();
  }
};

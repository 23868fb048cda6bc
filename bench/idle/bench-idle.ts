import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Stack } from '../../deploy/local/stack.ts';
import { startThrowawayStack } from '../../deploy/local/throwaway-stack.ts';
import { cpuSeconds } from '../process-cpu.ts';
import { residentMiB } from '../process-memory.ts';
import type { Benchmark } from '../report.ts';

/** What starts with a process is over by then. */
const settleSeconds = 20;
const seconds = 30;

/**
 * What each service costs when nobody asks anything of it: share of one core, and memory. Beside
 * them a process with a consumer and nothing else.
 */
export const benchIdle: Benchmark = async ({ progress }) => {
  progress('starting the stack');
  const stack = await startThrowawayStack();
  const consumer = startConsumer(stack.kafka);
  try {
    const services = Object.values(stack.services).flatMap((group) => group.replicas);
    const replicas = [...services, { name: 'a consumer, no service', pid: consumer.pid! }];
    await delay(settleSeconds * 1_000);
    progress(`watching ${services.length} idle services for ${seconds} s`);
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
    await Promise.all([end(consumer), stack.stop()]);
  }
};

function startConsumer(kafka: Stack['kafka']): ChildProcess {
  const script = fileURLToPath(new URL('idle-consumer.ts', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(JSON.stringify(kafka));
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    throw new Error(`the consumer ended with ${child.exitCode ?? child.signalCode}`);
  }
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** By process; empty where the machine counts none. */
export type Counted = Record<string, number>;

export type Counting = { end(): Promise<readonly [name: string, instructions: number]> };

/**
 * Why this machine counts no instructions, if it does not: there is no `perf`, this user may not,
 * or the processor's counters are hidden, as they are in many virtual machines.
 */
export function instructionsMissing(): string | undefined {
  const probe = spawnSync('perf', ['stat', '-x,', '-e', event, '--', 'true'], { encoding: 'utf8' });
  if (probe.error) return 'there is no perf';
  return readCount(probe.stderr) === undefined
    ? `perf says: ${probe.stderr.trim().split('\n').at(-1)}`
    : undefined;
}

/** Counts for each process, and of those that it starts from now on. */
export function countInstructions(pids: Record<string, number>): Counting[] {
  if (instructionsMissing() !== undefined) return [];
  return Object.entries(pids).map(([name, pid]) => startCounting(name, pid));
}

function startCounting(name: string, pid: number): Counting {
  const perf = spawn('perf', ['stat', '-x,', '-e', event, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  perf.stderr.setEncoding('utf8');
  perf.stderr.on('data', (part: string) => (text += part));
  return {
    async end() {
      const ended = once(perf, 'close');
      perf.kill('SIGINT');
      await ended;
      const count = readCount(text);
      if (count === undefined) throw new Error(`perf counted nothing of ${name}: ${text}`);
      return [name, count] as const;
    },
  };
}

const event = 'instructions';

/** The line of `perf stat -x,` is `1234,,instructions,…`, or `<not supported>,,instructions,…`. */
export function readCount(output: string): number | undefined {
  const line = output.split('\n').find((text) => text.includes(`,${event}`));
  const count = Number(line?.split(',')[0]);
  return Number.isFinite(count) && line !== undefined ? count : undefined;
}

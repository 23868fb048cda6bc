import { readdirSync, readFileSync } from 'node:fs';

export type Watched = { peakMiB: number; cpuSeconds: number };

/**
 * Looks at the child processes of this one that run a program of that name, until stopped: the most
 * memory that any of them ever held (VmHWM), and what all of them used of the processors.
 */
export function watchChildren(program: string): { stop(): Watched } {
  const seen = new Map<number, Watched>();
  const timer = setInterval(() => {
    for (const pid of childPids()) {
      try {
        if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(program)) continue;
        seen.set(pid, { peakMiB: peakOf(pid), cpuSeconds: cpuOf(pid) });
      } catch {
        // It has ended between two looks.
      }
    }
  }, 100);
  return {
    stop() {
      clearInterval(timer);
      const all = [...seen.values()];
      return {
        peakMiB: Math.max(0, ...all.map(({ peakMiB }) => peakMiB)),
        cpuSeconds: all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
      };
    },
  };
}

function childPids(): number[] {
  return readdirSync(`/proc/${process.pid}/task`).flatMap((task) => {
    const text = readFileSync(`/proc/${process.pid}/task/${task}/children`, 'utf8');
    return text.split(' ').flatMap((pid) => (pid === '' ? [] : [Number(pid)]));
  });
}

function peakOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

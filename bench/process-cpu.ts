import { readFileSync } from 'node:fs';

/** User and system time of a process so far (proc(5), fields 14 and 15, in ticks of 10 ms). */
export function cpuSeconds(pid: number): number {
  const [user = 0, system = 0] = readTimes(pid);
  return (user + system) / 100;
}

/** The same with all its children, those that have ended too (fields 16 and 17). */
export function cpuSecondsWithChildren(pid: number): number {
  const ticks = readTimes(pid).reduce((sum, time) => sum + time, 0);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children
    .split(' ')
    .filter((child) => child !== '')
    .reduce((sum, child) => sum + cpuSeconds(Number(child)), ticks / 100);
}

function readTimes(pid: number): number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).map(Number);
}

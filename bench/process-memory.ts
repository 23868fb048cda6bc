import { readFileSync } from 'node:fs';

/** What a process holds in memory now (proc(5), VmRSS). */
export function residentMiB(pid: number): number {
  return readMiB(pid, 'VmRSS');
}

/** The most that it ever held (VmHWM). */
export function peakMiB(pid: number): number {
  return readMiB(pid, 'VmHWM');
}

function readMiB(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024);
}

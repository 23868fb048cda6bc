import { rmSync } from 'node:fs';
import {
  identify,
  isAlive,
  type ProcessIdentity,
  sendSignal,
  waitUntilGone,
} from '@tributary/native-servers/process-tree';
import { readJsonFile, writeSecretFile } from '../demo/demo-file.ts';

/**
 * What a running stack says of its processes, for `status` and for a stack that was killed without
 * a chance to stop its own: the next `start`, `stop` or `reset` ends what it left behind.
 */
export type Run = {
  infra: 'native' | 'docker';
  state: 'starting' | 'ready';
  /** The process that looks after the others; absent with docker in the background. */
  stack?: ProcessIdentity;
  processes: RunningProcess[];
};

export type RunningProcess = ProcessIdentity & {
  name: string;
  port?: number;
  adminPort?: number;
};

export function writeRun(file: string, run: Run): void {
  writeSecretFile(file, run);
}

export function readRun(file: string): Run | undefined {
  return readJsonFile<Run>(file);
}

export function removeRun(file: string): void {
  rmSync(file, { force: true });
}

/** A process that has just ended keeps its pid, with a start time that no other can have. */
export async function identityOf(pid: number): Promise<ProcessIdentity> {
  return (await identify(pid)) ?? { pid, startedAt: 'ended' };
}

/** Ends every process of the run that is still alive; the stack first, which ends its own. */
export async function endRun({ stack, processes }: Run): Promise<void> {
  if (stack !== undefined) await end(stack, 60_000);
  await Promise.all(processes.map((running) => end(running, 10_000)));
}

async function end(identity: ProcessIdentity, patienceMs: number): Promise<void> {
  if (!(await isAlive(identity))) return;
  sendSignal(identity.pid, 'SIGTERM');
  // A paused process would never see the other one.
  sendSignal(identity.pid, 'SIGCONT');
  if (await waitUntilGone([identity], patienceMs)) return;
  sendSignal(identity.pid, 'SIGKILL');
  await waitUntilGone([identity], 5_000);
}

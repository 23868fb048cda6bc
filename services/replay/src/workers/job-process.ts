import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ReplaySettings } from '../settings.ts';
import { killGroup } from './owner-file.ts';

/** What the process of a job is told first. */
export type JobOrder = {
  settings: ReplaySettings;
  /** Module whose `createKinds` gives the kinds (see kinds.ts). */
  kindsUrl: string;
  job: { jobId: string; kind: string; params: unknown; attempt: number };
  dir: string;
  /** `clean-up`: only removes what an earlier attempt left. */
  task: 'run' | 'clean-up';
};

/** `cancelled`: for good; `stopping`: another process goes on later. */
export type StopReason = 'cancelled' | 'stopping';

export type JobMessage = { order: JobOrder } | { stop: StopReason };

/** How the process says that it is done; a process that ends without a word died. */
export type JobOutcome =
  | { outcome: 'done'; result: unknown }
  | { outcome: 'failed'; message: string; passes: boolean }
  | { outcome: 'stopped'; cleaned: boolean };

export type JobProcess = {
  /** Never rejects. `died`: by a signal, out of memory, or an error that nobody caught. */
  outcome: Promise<JobOutcome | { outcome: 'died'; how: string }>;
  /** Asks it to end; after `graceMs` it is killed with all of its children. */
  stop(reason: StopReason): void;
  /** At once, with all of its children. */
  kill(): void;
};

/**
 * A job runs in a process of its own, low in priority, so that what it computes or breaks is not
 * the service's. It leads a process group, with which it and its children can be ended; and it ends
 * that group itself when the service is gone (job-main.ts).
 */
export function startJobProcess(
  order: JobOrder,
  { graceMs = 8_000 }: { graceMs?: number } = {},
): JobProcess {
  const child = fork(program, [], {
    detached: true,
    execArgv: ['--max-old-space-size=400'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let reported: JobOutcome | undefined;
  let insist: NodeJS.Timeout | undefined;
  const kill = () => {
    if (child.pid !== undefined) killGroup(child.pid);
  };

  const outcome = new Promise<Awaited<JobProcess['outcome']>>((resolve) => {
    child.on('message', (message) => (reported = message as JobOutcome));
    child.once('error', (error) => resolve({ outcome: 'died', how: error.message }));
    child.once('exit', (code, signal) => {
      clearTimeout(insist);
      // Whatever it left running must not go on writing.
      kill();
      resolve(reported ?? { outcome: 'died', how: signal ?? `code ${code}` });
    });
  });
  const send = (message: JobMessage) => child.send(message, () => undefined);
  send({ order });

  return {
    outcome,
    stop(reason) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      send({ stop: reason });
      insist ??= setTimeout(kill, graceMs);
    },
    kill,
  };
}

const program = fileURLToPath(new URL('job-main.ts', import.meta.url));

import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type { Order, Report } from './obey-orders.ts';

/** One process of a service, with a wire to it: see obey-orders.ts for its other end. */
export type WatchedProcess<TestHook extends string> = ReturnType<
  typeof startWatchedProcess<TestHook>
>;
export type Exit = { code: number | null; signal: NodeJS.Signals | null };

export function startWatchedProcess<TestHook extends string>(options: {
  script: URL;
  /** Loaded before it. */
  preload?: URL;
  name: string;
  env: Record<string, string>;
  logFile: string;
}) {
  const { name, logFile, preload } = options;
  const log = openSync(logFile, 'a', 0o600);
  const child: ChildProcess = fork(fileURLToPath(options.script), {
    execArgv: preload === undefined ? [] : ['--import', fileURLToPath(preload)],
    env: { PATH: process.env['PATH'] ?? '', ...options.env },
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const reached: TestHook[] = [];
  let adminPort: number | undefined;
  let exit: Exit | undefined;
  child.on('message', (report: Report<TestHook>) => {
    if ('reached' in report) reached.push(report.reached);
    else adminPort = report.adminPort;
  });
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve((exit = { code, signal })));
  });

  /** Not heard when it is dead already. */
  function say(command: Order<TestHook> | 'go' | 'disarm'): void {
    child.send(command, () => undefined);
  }

  async function isReady(): Promise<boolean> {
    if (adminPort === undefined || exit !== undefined) return false;
    const url = `http://127.0.0.1:${adminPort}/readyz?all`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(patiently(2_000)) }).catch(
      () => undefined,
    );
    await answer?.body?.cancel();
    return answer?.status === 200;
  }

  const logLines = () =>
    readFileSync(logFile, 'utf8')
      .split('\n')
      .filter((line) => line !== '');

  return {
    name,
    pid: child.pid!,
    exited,
    isRunning: () => exit === undefined,
    /** Test hooks at which it waits, or waited. */
    reached,
    order: (order: Order<TestHook>) => say(order),
    /** Takes back what it was told and has not done. */
    disarm: () => say('disarm'),
    go: () => say('go'),
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    isReady,
    async ready(deadlineMs = 60_000): Promise<void> {
      await eventually(
        async () => {
          const ready = exit !== undefined || (await isReady());
          expect(ready, `${name} is not ready:\n${logLines().slice(-20).join('\n')}`).to.equal(
            true,
          );
        },
        { deadlineMs, everyMs: 100 },
      );
      expect(exit, `${name} ended:\n${logLines().slice(-20).join('\n')}`).to.equal(undefined);
    },
    /** What it said at these levels, as far as it has said it. */
    hasReported: (...levels: string[]) =>
      logLines().filter((line) => levels.some((level) => line.includes(`"level":"${level}"`))),
    async kill(): Promise<void> {
      if (exit === undefined) child.kill('SIGKILL');
      await exited;
    },
  };
}

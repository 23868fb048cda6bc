import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { Moment, Order, Report } from './orders.ts';

/** One dispatcher process, with a wire to it. */
export type Dispatcher = ReturnType<typeof startDispatcherProcess>;
export type Exit = { code: number | null; signal: NodeJS.Signals | null };

export function startDispatcherProcess(options: {
  name: string;
  env: Record<string, string>;
  logFile: string;
  /** Milliseconds by which its Date is off. */
  skewMs?: number;
}) {
  const { name, logFile, skewMs } = options;
  const log = openSync(logFile, 'a', 0o600);
  const skewed = skewMs === undefined ? [] : ['--import', script('shift-date.ts')];
  const child: ChildProcess = fork(script('dispatcher-process.ts'), {
    execArgv: skewed,
    env: {
      PATH: process.env['PATH'] ?? '',
      TEST_SHIFT_DATE_MS: String(skewMs ?? 0),
      ...options.env,
    },
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const reached: Moment[] = [];
  let adminPort: number | undefined;
  let exit: Exit | undefined;
  child.on('message', (report: Report) => {
    if ('reached' in report) reached.push(report.reached);
    else adminPort = report.adminPort;
  });
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve((exit = { code, signal })));
  });

  /** Not heard when it is dead already. */
  function say(word: Order | 'go' | 'disarm'): void {
    child.send(word, () => undefined);
  }

  async function isReady(): Promise<boolean> {
    if (adminPort === undefined || exit !== undefined) return false;
    const url = `http://127.0.0.1:${adminPort}/readyz`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
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
    /** Moments at which it waits, or waited. */
    reached,
    order: (order: Order) => say(order),
    /** Takes back what it was told and has not done. */
    disarm: () => say('disarm'),
    go: () => say('go'),
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    isReady,
    async ready(deadlineMs = 60_000): Promise<void> {
      await eventually(
        async () => {
          expect(exit, `${name} ended:\n${logLines().slice(-20).join('\n')}`).to.equal(undefined);
          const ready = await isReady();
          expect(ready, `${name} is not ready:\n${logLines().slice(-20).join('\n')}`).to.equal(
            true,
          );
        },
        { deadlineMs, everyMs: 100 },
      );
    },
    /** What it said at these levels, as far as it has said it. */
    said: (...levels: string[]) =>
      logLines().filter((line) => levels.some((level) => line.includes(`"level":"${level}"`))),
    async kill(): Promise<void> {
      if (exit === undefined) child.kill('SIGKILL');
      await exited;
    },
  };
}

function script(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

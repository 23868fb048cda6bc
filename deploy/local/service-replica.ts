import { setTimeout as delay } from 'node:timers/promises';
import { patiently } from '@tributary/testkit/patience';
import { endOf, tailOf } from './log-tail.ts';
import type { ProcessName } from './os-users.ts';
import { type Exit, type NodeProcess, startNode } from './node-process.ts';

/** One process of a service, looked after. */
export type ServiceReplica = {
  /** `attribution-2`; plain `attribution` for the first. */
  readonly name: string;
  readonly port: number | undefined;
  readonly adminPort: number;
  readonly logFile: string;
  /** The process that runs now, or the last one. */
  readonly pid: number;
  isRunning(): boolean;
  isReady(): Promise<boolean>;
  /** Resolves when /readyz?all says 200; rejects at the deadline, or when it ends or is stopped. */
  ready(deadlineMs?: number): Promise<void>;
  /** Ends the process and leaves it down until `restart`; resolves with how it ended. */
  kill(signal?: NodeJS.Signals): Promise<Exit>;
  restart(): Promise<void>;
  pause(): void;
  resume(): void;
  /** Asks it to stop, then insists. */
  stop(): Promise<Exit>;
};

/**
 * A process that ends by itself is reported with the tail of its log and started again, after a
 * pause that doubles up to ten seconds and begins anew when it has lived for half a minute. One
 * that was ended through this handle stays down: `wanted` is the difference.
 */
export function startReplica(options: {
  name: string;
  /** Looked up at each start, as `cwd` is. */
  readonly script: string;
  readonly cwd: string;
  env: Record<string, string>;
  logFile: string;
  user: ProcessName;
  port: number | undefined;
  adminPort: number;
  say: (line: string) => void;
  onChange: () => void;
}): ServiceReplica {
  const { name, logFile, adminPort, say } = options;
  let wanted = true;
  let stopped = false;
  let running = false;
  let endings = 0;
  let pauseMs = firstPauseMs;
  /** Where the log of the present process begins. */
  let logFrom = 0;
  let current: NodeProcess = launch();

  function launch(): NodeProcess {
    const startedAt = Date.now();
    logFrom = endOf(logFile);
    const launched = startNode(options);
    running = true;
    options.onChange();
    void launched.exited.then((exit) => onExit(exit, Date.now() - startedAt));
    return launched;
  }

  async function onExit(exit: Exit, livedMs: number) {
    running = false;
    options.onChange();
    if (!wanted) return;
    endings += 1;
    if (livedMs > 30_000) pauseMs = firstPauseMs;
    const how = exit.signal ?? `code ${exit.code}`;
    say(
      `${name} ended by itself (${how}); starting it again in ${pauseMs} ms. Last of ${logFile}:`,
    );
    say(tailOf(logFile, logFrom));
    await delay(pauseMs);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    if (wanted && !running) current = launch();
  }

  async function isReady(): Promise<boolean> {
    const url = `http://127.0.0.1:${adminPort}/readyz?all`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(patiently(2_000)) }).catch(
      () => undefined,
    );
    await answer?.body?.cancel();
    return running && answer?.status === 200;
  }

  async function ready(deadlineMs = patiently(180_000)) {
    const deadline = Date.now() + deadlineMs;
    const endingsBefore = endings;
    while (!(await isReady())) {
      if (stopped) throw new Error(`${name} was stopped before it was ready`);
      if (Date.now() > deadline || endings >= endingsBefore + endingsTolerated) {
        throw new Error(`${name} is not ready. Last of ${logFile}:\n${tailOf(logFile, logFrom)}`);
      }
      await delay(40);
    }
  }

  async function kill(signal: NodeJS.Signals = 'SIGKILL') {
    wanted = false;
    current.signal(signal);
    return current.exited;
  }

  return {
    name,
    port: options.port,
    adminPort,
    logFile,
    get pid() {
      return current.pid;
    },
    isRunning: () => running,
    isReady,
    ready,
    kill,
    async restart() {
      if (running) await kill('SIGTERM');
      wanted = true;
      stopped = false;
      current = launch();
      await ready();
    },
    pause: () => current.signal('SIGSTOP'),
    resume: () => current.signal('SIGCONT'),
    async stop() {
      wanted = false;
      stopped = true;
      if (!running) return current.exited;
      current.signal('SIGTERM');
      // A paused process would never see it.
      current.signal('SIGCONT');
      const insist = setTimeout(() => current.signal('SIGKILL'), stopTimeoutMs);
      const exit = await current.exited;
      clearTimeout(insist);
      return exit;
    },
  };
}

/** While somebody waits for it: a process that ends again and again has a mistake in its set-up. */
const endingsTolerated = 2;
const firstPauseMs = 500;
const longestPauseMs = 10_000;
const stopTimeoutMs = 25_000;

import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, mkdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describeFailure } from './log-tail.ts';
import { claimDirectory, forget, remember, requireFreePort } from './ownership.ts';
import { giveDirectory } from './os-user.ts';
import { identify, processTree, sendSignal, signalTree, waitUntilGone } from './process-tree.ts';
import { withPrivileges, type RunAs } from './run-as.ts';

// One server as a child process, on a directory that keeps its data between starts.
//
// The child leads a session of its own, so Ctrl-C in the terminal reaches only the program that
// started it, which then stops its servers in the order it wants. Should that program die without
// doing so, the kernel sends the child `stopSignal` (parent death signal, set by setpriv), and what
// even that misses is found by its pid file at the next start (see ownership.ts).

export type ServerOptions = {
  /** Holds data, configuration, log and pid file; created when missing. */
  dir: string;
  port: number;
  /** IPv4 address that Kafka, Redis and Postgres listen on. Default 127.0.0.1. */
  address?: string | undefined;
  /** Default `<dir>/<name>.log`. */
  logFile?: string | undefined;
  /** The OS user it runs as, by number, which owns the directory then; only root can choose one. */
  uid?: number | undefined;
  /** The server outlives the process that starts it. Default false. */
  detached?: boolean | undefined;
  /** Called when the server ends without having been asked to through this object. */
  onUnexpectedExit?: ((reason: string) => void) | undefined;
};

export type NativeServer = {
  readonly name: string;
  readonly dir: string;
  readonly port: number;
  readonly logFile: string;
  /** The process that runs now; after a restart, another one. */
  readonly pid: number;
  /** Ends it the way it likes to be ended; by SIGKILL when it does not within 20 s. */
  stop(): Promise<void>;
  /** Sends the signal (default SIGKILL) to the server and its children and waits for their end. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Stops it if it runs, starts it on the same directory and port, waits until it answers. */
  restart(): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
};

export type ServerRecipe = ServerOptions & {
  name: string;
  command: string;
  args: readonly string[];
  env?: Record<string, string> | undefined;
  runAs?: RunAs | undefined;
  /** A directory that it must get to beside its own, with `uid`. */
  reach?: string | undefined;
  stopSignal: NodeJS.Signals;
  /** Further ports that must be free. */
  otherPorts?: readonly number[] | undefined;
  /** Runs before each start, when no process uses the directory. */
  prepare?: (() => Promise<void>) | undefined;
  /**
   * Whether the server answers; asked again until it does. `logFrom` is where this start's log
   * begins.
   */
  isReady: (logFile: string, logFrom: number) => Promise<boolean>;
  /** Five minutes unless it says less: one that ended is noticed at once. */
  readyTimeoutMs?: number | undefined;
};

export async function startNativeServer(recipe: ServerRecipe): Promise<NativeServer> {
  const { name, dir, port } = recipe;
  const logFile = recipe.logFile ?? join(dir, `${name}.log`);
  await mkdir(dir, { recursive: true });
  await mkdir(dirname(logFile), { recursive: true });

  let child = await launch(recipe, logFile);
  let running = true;
  let asked = false;
  watchExit();

  function watchExit(): void {
    const watched = child;
    watched.once('exit', (code, signal) => {
      if (watched !== child) return;
      running = false;
      if (!asked) recipe.onUnexpectedExit?.(`${name} ended (${signal ?? `exit code ${code}`})`);
    });
  }

  async function end(signal: NodeJS.Signals, patienceMs: number): Promise<void> {
    asked = true;
    if (running) await endProcess(child, signal, patienceMs);
    running = false;
    await forget(dir, name);
  }

  return {
    name,
    dir,
    port,
    logFile,
    get pid() {
      return pidOf(child);
    },
    stop: () => end(recipe.stopSignal, 20_000),
    kill: (signal = 'SIGKILL') => end(signal, 20_000),
    async restart() {
      await end(recipe.stopSignal, 20_000);
      child = await launch(recipe, logFile);
      running = true;
      asked = false;
      watchExit();
    },
    pause: () => signalTree(pidOf(child), 'SIGSTOP'),
    resume: () => signalTree(pidOf(child), 'SIGCONT'),
  };
}

async function launch(recipe: ServerRecipe, logFile: string): Promise<ChildProcess> {
  const { name, dir, port, otherPorts = [] } = recipe;
  await claimDirectory(dir, name);
  for (const needed of [port, ...otherPorts]) await requireFreePort(needed, name);
  await recipe.prepare?.();
  await giveDirectory(dir, recipe.uid);

  const logFrom = await openLogAt(logFile);
  const child = await spawnChild(recipe, logFile);
  await remember(dir, name, pidOf(child), { detached: recipe.detached ?? false });
  try {
    await waitUntilReady(recipe, child, logFile, logFrom);
  } catch (error) {
    await endProcess(child, 'SIGKILL', 5_000);
    await forget(dir, name);
    throw error;
  }
  return child;
}

async function spawnChild(recipe: ServerRecipe, logFile: string): Promise<ChildProcess> {
  const [command, ...args] = await withPrivileges([recipe.command, ...recipe.args], {
    runAs: recipe.runAs ?? runAsNumber(recipe),
    parentDeathSignal: recipe.detached ? undefined : recipe.stopSignal,
  });
  const log = await open(logFile, 'a');
  try {
    const child = spawn(command, args, {
      cwd: recipe.dir,
      env: { ...process.env, ...recipe.env },
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', () => resolve());
      child.once('error', (cause) => {
        reject(new Error(`${recipe.name}: cannot run ${command}`, { cause }));
      });
    });
    child.unref(); // Waiting for a server must not keep a finished program alive.
    return child;
  } finally {
    await log.close();
  }
}

function runAsNumber({ uid, reach, dir }: ServerRecipe): RunAs | undefined {
  return uid === undefined ? undefined : { user: uid, reach: reach ?? dir };
}

async function waitUntilReady(
  recipe: ServerRecipe,
  child: ChildProcess,
  logFile: string,
  logFrom: number,
): Promise<void> {
  const timeoutMs = recipe.readyTimeoutMs ?? 300_000;
  const deadline = Date.now() + timeoutMs;
  while (!(await recipe.isReady(logFile, logFrom))) {
    const ended = child.exitCode ?? child.signalCode;
    if (ended !== null) {
      throw new Error(await describeFailure(recipe.name, `ended with ${ended}`, logFile, logFrom));
    }
    if (Date.now() > deadline) {
      const what = `did not answer within ${timeoutMs} ms`;
      throw new Error(await describeFailure(recipe.name, what, logFile, logFrom));
    }
    await delay(50);
  }
}

async function endProcess(
  child: ChildProcess,
  signal: NodeJS.Signals,
  patienceMs: number,
): Promise<void> {
  const tree = await processTree(pidOf(child));
  // A stop is told to the server alone, which ends its children; a kill is meant for all of them.
  // A paused process takes no signal but these two.
  if (signal === 'SIGKILL') for (const { pid } of tree) sendSignal(pid, signal);
  else await stopPolitely(pidOf(child), signal);
  if (await waitUntilGone(tree, patienceMs)) return;
  for (const { pid } of tree) sendSignal(pid, 'SIGKILL');
  await waitUntilGone(tree, 5_000);
}

async function stopPolitely(pid: number, signal: NodeJS.Signals): Promise<void> {
  if ((await identify(pid)) === undefined) return;
  await signalTree(pid, 'SIGCONT');
  sendSignal(pid, signal);
}

const rotateAtBytes = 20 * 1024 * 1024;

/** Where the log of this start will begin. One older log is kept. */
async function openLogAt(logFile: string): Promise<number> {
  if (!existsSync(logFile)) return 0;
  const { size } = await stat(logFile);
  if (size < rotateAtBytes) return size;
  await rename(logFile, `${logFile}.1`);
  return 0;
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('a process that was never started has no pid');
  return child.pid;
}

import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { compileCacheFor, nodeFor, type ProcessName, uidOf, userFlags } from './os-users.ts';

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

export type NodeProcess = {
  pid: number;
  /** Resolves when the process is gone; never rejects. */
  exited: Promise<Exit>;
  signal(signal: NodeJS.Signals): void;
};

/**
 * Runs a script of this repository with exactly the given variables and those of the machine. It
 * has a process group of its own, so that Ctrl-C in the terminal reaches the stack alone, which
 * then stops everything in order; when the stack dies without doing so, the kernel ends it.
 */
export function startNode(options: {
  script: string;
  env: Record<string, string>;
  cwd: string;
  logFile: string;
  /** Whose user it runs as when root starts it. */
  user: ProcessName;
}): NodeProcess {
  const { script } = options;
  const uid = uidOf(options.user);
  const flags = [...userFlags(uid, script), ...endedWithParent];
  const privileges = flags.length === 0 ? [] : [setpriv, ...flags, '--'];
  const [command = '', ...args] = [...privileges, nodeFor(uid), script];
  const log = openSync(options.logFile, 'a', 0o600);
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...inheritedVariables(uid), ...options.env },
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => resolve({ code: -1, signal: null }));
  });
  const signal = (name: NodeJS.Signals) => void child.kill(name);
  return { pid: child.pid ?? -1, exited, signal };
}

/**
 * Where programs are, and where Node keeps what it has compiled when it is told to (by the tests).
 */
export function inheritedVariables(uid?: number): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  if (NODE_COMPILE_CACHE === undefined) return { PATH };
  return { PATH, NODE_COMPILE_CACHE: compileCacheFor(uid, NODE_COMPILE_CACHE) };
}

/** Part of Debian's util-linux; elsewhere the run file is what finds processes left behind. */
const setpriv = '/usr/bin/setpriv';
const endedWithParent = existsSync(setpriv) ? ['--pdeathsig', 'TERM'] : [];

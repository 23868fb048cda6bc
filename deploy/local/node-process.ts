import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';

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
}): NodeProcess {
  const [command = '', ...args] = [...endedWithParent, process.execPath, options.script];
  const log = openSync(options.logFile, 'a', 0o600);
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...inheritedVariables(), ...options.env },
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
export function inheritedVariables(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) };
}

/** Part of Debian's util-linux; elsewhere the run file is what finds processes left behind. */
const setpriv = '/usr/bin/setpriv';
const endedWithParent = existsSync(setpriv) ? [setpriv, '--pdeathsig', 'TERM', '--'] : [];

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * An OS user to run as, by name or by number; only root can choose one. `reach` is a directory it
 * must get to.
 */
export type RunAs = { user: string | number; reach: string };

/**
 * The command line that runs a command as another user and has the kernel end it when the process
 * that started it dies. Without setpriv (part of Debian's util-linux) it is the command itself.
 */
export async function withPrivileges(
  command: readonly [string, ...string[]],
  options: { runAs?: RunAs | undefined; parentDeathSignal?: NodeJS.Signals | undefined },
): Promise<[string, ...string[]]> {
  const { runAs, parentDeathSignal } = options;
  const flags: string[] = [];
  if (runAs !== undefined) flags.push(...(await userFlags(runAs)));
  if (parentDeathSignal !== undefined && (await hasSetpriv())) {
    flags.push('--pdeathsig', parentDeathSignal.replace('SIG', ''));
  }
  return flags.length === 0 ? [...command] : ['setpriv', ...flags, '--', ...command];
}

/** Runs a command as another user to its end and gives its output. */
export async function runToEnd(
  command: readonly [string, ...string[]],
  options: { runAs?: RunAs | undefined; cwd: string; env?: Record<string, string>; input?: string },
): Promise<string> {
  const { runAs, cwd, env, input } = options;
  const [file, ...args] = await withPrivileges(command, { runAs });
  const running = run(file, args, { cwd, env: { ...process.env, ...env } });
  running.child.stdin?.end(input);
  return (await running).stdout;
}

/**
 * A checkout below /root or a private home cannot be entered by another user. There the server
 * keeps one capability, reading what root may, instead of asking people to move things; it writes
 * nothing but its own.
 */
async function userFlags({ user, reach }: RunAs): Promise<string[]> {
  // A number need not have a name, nor groups.
  const groups = typeof user === 'number' ? '--clear-groups' : '--init-groups';
  const flags = ['--reuid', `${user}`, '--regid', `${user}`, groups];
  if (await isReachableByOthers(reach)) return flags;
  return [...flags, '--inh-caps', '+dac_read_search', '--ambient-caps', '+dac_read_search'];
}

async function isReachableByOthers(dir: string): Promise<boolean> {
  for (let at = dirname(resolve(dir)); ; at = dirname(at)) {
    const { mode } = await stat(at);
    if ((mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

let setprivKnown: Promise<boolean> | undefined;

function hasSetpriv(): Promise<boolean> {
  setprivKnown ??= run('setpriv', ['--version']).then(
    () => true,
    () => false,
  );
  return setprivKnown;
}

export async function findUser(name: string): Promise<{ uid: number; gid: number } | undefined> {
  if (!existsSync('/etc/passwd')) return undefined;
  for (const line of (await readFile('/etc/passwd', 'utf8')).split('\n')) {
    const [user, , uid, gid] = line.split(':');
    if (user === name) return { uid: Number(uid), gid: Number(gid) };
  }
  return undefined;
}

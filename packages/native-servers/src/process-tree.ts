import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * A process that is this one and no later one with the same number: the kernel's start time tells
 * two users of one pid apart. Without /proc only the number is known.
 */
export type ProcessIdentity = { pid: number; startedAt: string };

export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const stat = await readStat(pid);
  if (stat !== undefined) return { pid, startedAt: stat.startedAt };
  return process.platform !== 'linux' && answersSignals(pid) ? { pid, startedAt: '' } : undefined;
}

/**
 * False for a zombie too: it holds no port and no file, and nobody may ever reap it. A zombie with
 * threads that still end does hold them.
 */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  const now = await identify(identity.pid);
  return now !== undefined && now.startedAt === identity.startedAt;
}

/** The process and everything below it. Postgres puts its children in sessions of their own. */
export async function processTree(root: number): Promise<ProcessIdentity[]> {
  const stats = await allStats();
  const members = stats.filter((stat) => stat.pid === root);
  if (stats.length === 0) {
    const alone = await identify(root); // No /proc here.
    return alone === undefined ? [] : [alone];
  }
  for (const member of members) {
    members.push(...stats.filter((stat) => stat.parent === member.pid));
  }
  return members.map(({ pid, startedAt }) => ({ pid, startedAt }));
}

/** Root first, so that a stopped parent cannot start another child meanwhile. */
export async function signalTree(root: number, signal: NodeJS.Signals): Promise<void> {
  for (const { pid } of await processTree(root)) sendSignal(pid, signal);
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** True when all are gone before the deadline. */
export async function waitUntilGone(
  identities: readonly ProcessIdentity[],
  deadlineMs: number,
): Promise<boolean> {
  const deadline = Date.now() + deadlineMs;
  for (const identity of identities) {
    while (await isAlive(identity)) {
      if (Date.now() > deadline) return false;
      await delay(20);
    }
  }
  return true;
}

type Stat = { pid: number; parent: number; startedAt: string };

async function allStats(): Promise<Stat[]> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = await Promise.all(pids.map(readStat));
  return stats.filter((stat) => stat !== undefined);
}

async function readStat(pid: number): Promise<Stat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // The command name may hold spaces and brackets; the fields start after the last bracket.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent] = fields;
  const threads = Number(fields[17]);
  const startedAt = fields[19];
  const gone = state === 'X' || (state === 'Z' && threads <= 1);
  if (gone || startedAt === undefined) return undefined;
  return { pid, parent: Number(parent), startedAt };
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

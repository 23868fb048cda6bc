import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Who works in a directory. A process whose service was killed ends by itself, but not at the same
 * moment, and another replica on the same machine may take the job up before: it waits until its
 * predecessor is gone, and ends it (with its own children) when it takes too long.
 */
type Owner = { host: string; pid: number; startedAt: string };

export async function takeDirectory(
  dir: string,
  { waitMs = 3_000 }: { waitMs?: number } = {},
): Promise<void> {
  const before = await readOwner(dir);
  if (before && before.host === hostname() && before.pid !== process.pid) {
    await untilGone(before, waitMs);
  }
  const startedAt = (await startOf(process.pid)) ?? '';
  const owner: Owner = { host: hostname(), pid: process.pid, startedAt };
  await writeFile(join(dir, ownerFile), JSON.stringify(owner));
}

async function untilGone(owner: Owner, waitMs: number): Promise<void> {
  const patienceEnds = Date.now() + waitMs;
  for (let killed = false; await isAlive(owner); await delay(50)) {
    if (killed || Date.now() < patienceEnds) continue;
    // The whole group: it leads one (see job-process.ts).
    killGroup(owner.pid);
    killed = true;
  }
}

/**
 * By its start too, as the number of a process is given again. Without /proc nobody is waited for.
 */
async function isAlive({ pid, startedAt }: Owner): Promise<boolean> {
  return startedAt !== '' && (await startOf(pid)) === startedAt;
}

/** In ticks since the machine's start; undefined when there is no such process, or a dead one. */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name in brackets may hold blanks; state is the first field after it, start the 20th.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields?.[0] === 'Z' ? undefined : fields?.[19];
}

export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
}

async function readOwner(dir: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(join(dir, ownerFile), 'utf8')) as Owner;
  } catch {
    // Not there, or half written by one that died over it.
    return undefined;
  }
}

const ownerFile = 'owner.json';

import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeAnew } from './write-anew.ts';
import { describePortOwner } from './port-owner.ts';
import {
  identify,
  isAlive,
  processTree,
  sendSignal,
  waitUntilGone,
  type ProcessIdentity,
} from './process-tree.ts';

// Who runs on a data directory. Each server leaves `<name>.pid` there, which names the server and
// the process that started it. A start finds one of three things:
//   - nothing, or a server that is gone: go on;
//   - a server whose starter is gone (killed before it could clean up): a leftover, killed here;
//   - a server whose starter lives, or that was started to outlive it: somebody else's, refused.

type Owner = { server: ProcessIdentity; starter: ProcessIdentity | 'detached' };

export async function claimDirectory(dir: string, name: string): Promise<void> {
  const owner = await readOwner(dir, name);
  if (owner === undefined || !(await isAlive(owner.server))) return forget(dir, name);
  const { server, starter } = owner;
  if (starter === 'detached' || (await isAlive(starter))) {
    const by = starter === 'detached' ? 'in the background' : `started by process ${starter.pid}`;
    throw new Error(
      `${name} already runs on ${dir} as process ${server.pid}, ${by}; stop that one first`,
    );
  }
  await stopLeftover(dir, name);
}

export async function remember(
  dir: string,
  name: string,
  pid: number,
  options: { detached: boolean },
): Promise<void> {
  const server = await identify(pid);
  const starter = options.detached ? 'detached' : await identify(process.pid);
  if (server === undefined || starter === undefined) return; // Gone already; the caller will see.
  const owner: Owner = { server, starter };
  await writeAnew(pidFile(dir, name), `${JSON.stringify(owner)}\n`);
}

export async function forget(dir: string, name: string): Promise<void> {
  await rm(pidFile(dir, name), { force: true });
}

/** Kills what still runs on this directory, whoever started it. True when there was something. */
export async function stopLeftover(dir: string, name: string): Promise<boolean> {
  const owner = await readOwner(dir, name);
  const lives = owner !== undefined && (await isAlive(owner.server));
  if (lives) {
    const tree = await processTree(owner.server.pid);
    sendSignal(owner.server.pid, 'SIGCONT');
    sendSignal(owner.server.pid, 'SIGTERM');
    if (!(await waitUntilGone(tree, 5_000))) {
      for (const { pid } of tree) sendSignal(pid, 'SIGKILL');
      await waitUntilGone(tree, 5_000);
    }
  }
  await forget(dir, name);
  return lives;
}

/**
 * Throws an error that names the port and who holds it. The kernel gives back the port of a killed
 * process a moment after its end, hence a second look.
 */
export async function requireFreePort(port: number, name: string): Promise<void> {
  const deadline = Date.now() + 500;
  while (!(await canListen(port)) && Date.now() < deadline) await delay(50);
  if (await canListen(port)) return;
  throw new Error(`port ${port} (${name}) is taken by ${await describePortOwner(port)}`);
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

async function readOwner(dir: string, name: string): Promise<Owner | undefined> {
  const text = await readFile(pidFile(dir, name), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Owner;
  } catch {
    return undefined; // Written half by a process that was killed.
  }
}

function pidFile(dir: string, name: string): string {
  return join(dir, `${name}.pid`);
}

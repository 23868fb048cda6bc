import { readdir, readFile, readlink } from 'node:fs/promises';

/**
 * Who listens on a TCP port, e.g. `process 4711 (nginx: master process)`. Read from /proc, so no
 * tool has to be installed; elsewhere, or for another user's process, it says that it cannot tell.
 */
export async function describePortOwner(port: number): Promise<string> {
  const inodes = await listeningInodes(port);
  const pid = inodes.size === 0 ? undefined : await processWithSocket(inodes);
  if (pid === undefined) return 'a process that cannot be seen from here';
  return `process ${pid} (${await commandOf(pid)})`;
}

const listenState = '0A';

async function listeningInodes(port: number): Promise<Set<string>> {
  const inodes = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const text = await readFile(table, 'utf8').catch(() => '');
    for (const line of text.split('\n').slice(1)) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      const localPort = local === undefined ? NaN : parseInt(local.split(':')[1] ?? '', 16);
      if (localPort === port && state === listenState && inode !== undefined) inodes.add(inode);
    }
  }
  return inodes;
}

async function processWithSocket(inodes: Set<string>): Promise<number | undefined> {
  const names = await readdir('/proc').catch(() => []);
  for (const pid of names.filter((name) => /^\d+$/.test(name))) {
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const descriptor of descriptors) {
      const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '');
      const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
      if (inode !== undefined && inodes.has(inode)) return Number(pid);
    }
  }
  return undefined;
}

async function commandOf(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const command = text.replaceAll('\0', ' ').trim();
  return command.length > 80 ? `${command.slice(0, 77)}...` : command || 'unknown command';
}

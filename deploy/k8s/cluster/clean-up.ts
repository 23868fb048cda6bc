import { existsSync } from 'node:fs';
import { readdir, readFile, readlink, rm, rmdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { processTree, sendSignal, waitUntilGone } from '@tributary/native-servers/process-tree';
import { nodes } from './addresses.ts';
import { removeNetwork } from './network.ts';
import { run } from './run.ts';

/**
 * Removes what a cluster leaves when its programs are gone: pods, which live on without the
 * kubelet, their mounts, networks and cgroups, the nodes' networks and the state directory. Each is
 * found by the state directory's name or by a name that only this command gives.
 */
export async function cleanUp(stateDir: string): Promise<void> {
  const containers = await containersOf(stateDir);
  await endPods(stateDir);
  await removeMounts(stateDir);
  await removePodNetworks();
  await removeNetwork();
  await removeCgroups(containers);
  await removeNotes(stateDir, containers);
  await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
}

/** Each container has a shim of containerd above it, which names the socket of its containerd. */
async function endPods(stateDir: string): Promise<void> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const shims: number[] = [];
  for (const pid of pids) {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const [program = '', ...args] = text.split('\0');
    const isOurs = args.some((arg) => arg.startsWith(`${stateDir}/`));
    if (program.includes('containerd-shim') && isOurs) shims.push(Number(pid));
  }
  const trees = await Promise.all(shims.map(processTree));
  for (const { pid } of trees.flat()) sendSignal(pid, 'SIGKILL');
  await waitUntilGone(trees.flat(), 10_000);
}

async function containersOf(stateDir: string): Promise<string[]> {
  const ids = nodes.map(({ name }) => {
    const state = join(stateDir, `containerd-${name}`, 'state');
    return readdir(join(state, 'io.containerd.runtime.v2.task/k8s.io')).catch(() => []);
  });
  return (await Promise.all(ids)).flat();
}

/** The deepest first. */
async function removeMounts(stateDir: string): Promise<void> {
  for (const point of mountsBelow(stateDir, await readFile('/proc/self/mountinfo', 'utf8'))) {
    await run('umount', ['--lazy', point]);
  }
}

/** Mount points below a directory by the lines of /proc/self/mountinfo, the newest first. */
export function mountsBelow(dir: string, mountinfo: string): string[] {
  return mountinfo
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((point) => point.startsWith(`${dir}/`))
    .reverse();
}

/** Names that containerd gives; while another containerd runs here, its own are in use. */
async function removePodNetworks(): Promise<void> {
  const names = await readdir('/run/netns').catch(() => []);
  for (const name of names.filter((one) => one.startsWith('cni-'))) {
    const users = await run('ip', ['netns', 'pids', name]).catch(() => '');
    if (users.trim() === '') await run('ip', ['netns', 'del', name]).catch(() => undefined);
  }
}

/** What is noted about pods outside of the state directory, at places that nobody can choose. */
async function removeNotes(stateDir: string, containers: readonly string[]): Promise<void> {
  const links = '/var/log/containers';
  for (const name of await readdir(links).catch(() => [])) {
    const target = await readlink(join(links, name)).catch(() => '');
    if (target.startsWith(`${stateDir}/`)) await rm(join(links, name), { force: true });
  }
  const results = '/var/lib/cni/results';
  for (const name of await readdir(results).catch(() => [])) {
    const isOurs = containers.some((id) => name.includes(id));
    if (isOurs) await rm(join(results, name), { force: true });
  }
  const sockets = '/run/containerd/s';
  for (const name of await readdir(sockets).catch(() => [])) {
    if (await isDead(join(sockets, name))) await rm(join(sockets, name), { force: true });
  }
}

/** Whether nobody listens on a socket any more. */
function isDead(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'ECONNREFUSED');
    });
  });
}

/** A cgroup that still has a process in it stays. */
async function removeCgroups(containers: readonly string[]): Promise<void> {
  const root = '/sys/fs/cgroup';
  const controllers = await readdir(root);
  const parents = ['k8s.io', ...controllers.map((name) => join(name, 'k8s.io'))];
  for (const parent of parents.map((path) => join(root, path)).filter(existsSync)) {
    for (const id of containers) await rmdir(join(parent, id)).catch(() => undefined);
    await rmdir(parent).catch(() => undefined);
  }
}

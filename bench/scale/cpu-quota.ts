import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const periodUs = 100_000;

/** Holds processes to a share of a core, each by itself. */
export type CpuQuota = {
  hold(pid: number): void;
  /** Whether all that were held still are: some machines sort processes into groups themselves. */
  stillHolds(): boolean;
  /** When the processes have ended. */
  remove(): Promise<void>;
};

/**
 * By control groups of this machine, in either version; undefined where there are none that this
 * user may make. A group of its own for each process, below the one of this process.
 */
export function createCpuQuota(shareOfCore: number): CpuQuota | undefined {
  const held: { group: string; pid: number }[] = [];
  const parent = findParent();
  if (parent === undefined) return undefined;

  function makeGroup(name: string): string {
    const group = join(parent!.path, name);
    mkdirSync(group);
    const quota = Math.round(shareOfCore * periodUs);
    if (parent!.version === 2) writeFileSync(join(group, 'cpu.max'), `${quota} ${periodUs}`);
    else writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quota));
    return group;
  }

  const probe = `tributary-bench-${process.pid}`;
  try {
    rmdirSync(makeGroup(probe));
  } catch {
    return undefined;
  }
  return {
    hold(pid) {
      const group = makeGroup(`${probe}-${pid}`);
      held.push({ group, pid });
      writeFileSync(join(group, 'cgroup.procs'), String(pid));
    },
    stillHolds: () =>
      held.every(({ group, pid }) =>
        readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').includes(String(pid)),
      ),
    async remove() {
      for (const { group } of held.splice(0)) await removeGroup(group);
    },
  };
}

function findParent(): { path: string; version: 1 | 2 } | undefined {
  const mine = readFileSync('/proc/self/cgroup', 'utf8').split('\n');
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const mountOf = (isIt: (type: string, options: string[]) => boolean) =>
    mounts
      .map((line) => line.split(' '))
      .find(([, , type = '', options = '']) => isIt(type, options.split(',')))?.[1];
  const first = mountOf((type, options) => type === 'cgroup' && options.includes('cpu'));
  const ofFirst = mine
    .map((line) => line.split(':'))
    .find(([, of]) => of?.split(',').includes('cpu'));
  if (first !== undefined && ofFirst) return { path: join(first, ofFirst[2] ?? ''), version: 1 };
  const second = mountOf((type) => type === 'cgroup2');
  const ofSecond = mine.map((line) => line.split(':')).find(([number]) => number === '0');
  if (second === undefined || !ofSecond) return undefined;
  return { path: join(second, ofSecond[2] ?? ''), version: 2 };
}

/** The kernel lets go of a group a moment after its last process. */
async function removeGroup(group: string): Promise<void> {
  for (const deadline = performance.now() + 5_000; ; await delay(50)) {
    try {
      if (readdirSync(group).length >= 0) rmdirSync(group);
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
  }
}

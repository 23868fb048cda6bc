import { setTimeout as delay } from 'node:timers/promises';
import { processTree } from '@tributary/native-servers/process-tree';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { followLog } from '../../server-log.ts';
import { injectFault } from '../inject-fault.ts';
import { aMoment, underWay } from './load.ts';
import type { Battlefield, Nemesis } from './nemesis.ts';

/** How Postgres has its disk keep what it wrote: with each commit, and with each checkpoint. */
const calls = 'fsync,fdatasync';
const laterMs = 300;
const slowMs = 20_000;

export const slowPostgresDisk: Nemesis = {
  name: 'slow-postgres-disk',
  says: `each fsync of postgres takes ${laterMs} ms more for ${slowMs / 1_000} s`,
  async run(field) {
    const pids = await processesOf(field);
    await aMoment(field);
    const hit = await underWay(field);
    field.doing();
    const how = `delay_enter=${laterMs}ms`;
    const fault = await injectFault({ pids, calls, how, follow: true });
    try {
      await delay(slowMs);
    } finally {
      field.undoing();
      await fault.end();
    }
    const { length: late } = fault.lines().filter((line) => line.includes('(DELAYED)'));
    if (late > 0 && hit !== undefined) {
      field.fired(`${late} times Postgres waited ${laterMs} ms more for its disk, ${hit}`);
    }
  },
};

/**
 * After a failed fsync nobody knows what the disk has: Postgres ends all of its sessions and reads
 * its own log again. Those that it starts for that find the disk in order.
 */
export const failingPostgresDisk: Nemesis = {
  name: 'failing-postgres-disk',
  says: 'an fsync of postgres fails with EIO under load: it ends all sessions and recovers',
  async run(field) {
    const { postgres } = field.stack.servers;
    const written = followLog(postgres.logFile);
    await aMoment(field);
    const pids = (await processesOf(field)).filter((pid) => pid !== postgres.pid);
    const hit = await underWay(field);
    field.doing();
    const fault = await injectFault({ pids, calls, how: 'error=EIO:when=1', follow: false });
    let panic: string;
    try {
      panic = await eventually(
        () => {
          const line = /[^\n]*PANIC: [^\n]*Input\/output error/.exec(written())?.[0];
          if (line === undefined) throw new Error('no fsync of Postgres has failed');
          return line;
        },
        { deadlineMs: 30_000 },
      );
    } finally {
      field.undoing();
      await fault.end();
    }
    const again = /PANIC: [^]*automatic recovery in progress[^]*ready to accept connections/;
    await eventually(() => expect(written()).to.match(again), { deadlineMs: 60_000 });
    const { length: failed } = fault.lines().filter((line) => line.includes('(INJECTED)'));
    if (failed > 0 && hit !== undefined) {
      field.fired(`${failed} calls failed, ${hit}, and Postgres has recovered: ${panic}`);
    }
  },
};

async function processesOf({ stack }: Battlefield): Promise<number[]> {
  const tree = await processTree(stack.servers.postgres.pid);
  return tree.map(({ pid }) => pid);
}

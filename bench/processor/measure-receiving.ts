import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectionOf } from '../../test-faults/processor/connections.ts';
import { cpuSeconds } from '../process-cpu.ts';
import { startChild } from '../webhooks/child.ts';
import type { BareSettings } from './bare-process.ts';
import { appendAll, openWorld, type Run, stopped } from './bench-world.ts';
import { prepareLoad } from './load.ts';
import { invoiceTemplate, knownCustomers } from './paid-invoices.ts';

export const receivers = ['processor-events', 'bare'] as const;
export type Receiver = (typeof receivers)[number];

export type Received = {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** µs per event of the process: while it was under load, and until it had nothing left to do. */
  underLoadUs: number;
  untilRestUs: number;
  /** What the servers used until then. */
  postgresUs: number;
  kafkaUs: number;
};

const customers = 1_000;
const rounds = 5;
const secondsPerRun = 3;

/** Signed events of known customers to one process on one core; both stand ready and take turns. */
export async function measureReceiving(run: Run): Promise<Map<Receiver, Received[]>> {
  const { servers, progress } = run;
  const { kafkaBrokers, logs: dir } = servers;
  const connection = connectionOf('t-receiving', { shape: 'old' });
  const { signingSecret } = connection;
  const world = await openWorld(run, 'receiving', [connection]);
  try {
    await appendAll(world, knownCustomers(connection, customers));
    const whole = await world.start();
    await whole.ready();
    // Nobody reads that topic here.
    const settings: BareSettings = {
      ...{ kafkaBrokers, signingSecret, topic: world.topics.nameOf('attributions') },
    };
    const bare = await startChild({
      ...{ script: '../processor/bare-process.ts', settings, logFile: join(dir, 'bare.log') },
    });
    world.defer(() => bare.kill());
    const bareUrl = (await bare.ask('url')) as string;
    for (const { pid } of [whole, bare]) {
      await promisify(execFile)('taskset', ['-acp', '0', String(pid)]);
    }
    const template = invoiceTemplate();
    let from = 0;

    async function measure(receiver: Receiver, seconds: number): Promise<Received> {
      const [url, { pid }] =
        receiver === 'bare' ? [bareUrl, bare] : [world.urlOf(connection), whole];
      const about = { template, signingSecret, customers, from, seconds, dir };
      const { next, send } = await prepareLoad(about);
      from = next;
      const used = () => ({ process: cpuSeconds(pid), ...servers.cpuSeconds() });
      const before = used();
      const { requests, seconds: lasted, p50Ms, p99Ms } = await send(url);
      const loaded = used();
      if (receiver !== 'bare') await world.atRest(120_000);
      const after = used();
      const us = (spent: number) => (spent * 1e6) / requests;
      return {
        ...{ perSecond: requests / lasted, p50Ms, p99Ms },
        underLoadUs: us(loaded.process - before.process),
        untilRestUs: us(after.process - before.process),
        postgresUs: us(after.postgres - before.postgres),
        kafkaUs: us(after.kafka - before.kafka),
      };
    }

    for (const receiver of receivers) await measure(receiver, 1);
    const found = new Map<Receiver, Received[]>(receivers.map((receiver) => [receiver, []]));
    for (let round = 1; round <= rounds; round++) {
      for (const receiver of receivers) {
        const received = await measure(receiver, secondsPerRun);
        found.get(receiver)!.push(received);
        const rate = Math.round(received.perSecond);
        progress(`round ${round}/${rounds} ${receiver}: ${rate} events received/s`);
      }
    }
    await stopped(whole);
    return found;
  } finally {
    await world.stop();
  }
}

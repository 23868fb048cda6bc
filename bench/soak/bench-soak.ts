import { eventCodec } from '@tributary/contracts/event-record';
import { topicName } from '@tributary/contracts/topics';
import { scanTopic } from '@tributary/event-log/scan-topic';
import { connectTo, silentLogger } from '@tributary/event-log/testing';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Stack } from '../../deploy/local/stack.ts';
import { startThrowawayStack } from '../../deploy/local/throwaway-stack.ts';
import { tokenFor } from '../../test-e2e/calls.ts';
import { runLoad } from '../ingest/load.ts';
import { residentMiB } from '../process-memory.ts';
import { type Benchmark, median, type Report } from '../report.ts';
import { startChild } from '../webhooks/child.ts';
import type { Offered, OfferSettings } from './offer-process.ts';
import { readAcceptOverflows } from './accept-queues.ts';
import { compareWithLog, memoryOf, type OnLog, type Overload, promisesOf } from './promises.ts';

const capacityRounds = 3;
const secondsPerRound = 5;
const secondsPerSample = 5;
const overload = 2;

/**
 * Twice of what the system accepts, for minutes, through the edge: what is answered, how long the
 * accepted wait, what ingest-api takes of memory, and whether the log has every accepted event
 * once. The other services are stopped, so that the two cores are those of the accept path, of its
 * servers and of the load.
 */
export const benchSoak: Benchmark = async ({ progress, minutes }) => {
  progress('starting the stack');
  // The limit of a tenant is not what is looked for.
  const variables = { 'ingest-api': { TRIBUTARY_TENANT_EVENTS_PER_SECOND: '1000000' } };
  const stack = await startThrowawayStack({ variables });
  const dir = await mkdtemp(join(tmpdir(), 'tributary-soak-'));
  try {
    const token = await tokenFor(stack.demo, stack.demo.tenants[0]!);
    const others = Object.entries(stack.services).filter(([name]) => name !== 'ingest-api');
    await Promise.all(others.map(([, group]) => group.stop()));
    const capacityPerSecond = await findCapacity(stack, token, progress);
    const load = { perSecond: overload * capacityPerSecond, seconds: minutes * 60 };
    const soaked = await soak(stack, { token, load, dir, progress });
    progress('reading the log');
    return report({ ...soaked, capacityPerSecond, log: await readLog(stack, soaked.acceptedFile) });
  } finally {
    await stack.stop();
    await rm(dir, { recursive: true, force: true });
  }
};

/** Accepted per second of clients that wait for each answer; the first round warms up. */
async function findCapacity(
  stack: Stack,
  token: string,
  progress: (line: string) => void,
): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round <= capacityRounds; round += 1) {
    const load = { url: stack.demo.baseUrl, token, keyed: true, seconds: secondsPerRound };
    const { perSecond, refused, broken } = await runLoad(load);
    if (refused + broken > 0) throw new Error(`${refused} refused, ${broken} broken at capacity`);
    if (round > 0) rounds.push(perSecond);
    progress(`capacity, round ${round}/${capacityRounds}: ${Math.round(perSecond)} accepted/s`);
  }
  return median(rounds);
}

type Soaked = {
  offered: Offered;
  samples: number[];
  acceptOverflows: number;
  acceptedFile: string;
};

async function soak(
  stack: Stack,
  options: {
    token: string;
    load: { perSecond: number; seconds: number };
    dir: string;
    progress: (line: string) => void;
  },
): Promise<Soaked> {
  const { token, load, dir, progress } = options;
  const { hostname: host, port } = new URL(stack.demo.baseUrl);
  const acceptedFile = join(dir, 'accepted.txt');
  const ucc = stack.demo.tenants[0]!.referrer.ucc;
  const settings: OfferSettings = { host, port: Number(port), token, ucc, acceptedFile };
  const logFile = join(dir, 'offer.log');
  const child = await startChild({ script: '../soak/offer-process.ts', settings, logFile });
  const { pid } = stack.services['ingest-api'].replicas[0]!;
  const samples = [residentMiB(pid)];
  const sampling = setInterval(() => {
    samples.push(residentMiB(pid));
    const seconds = (samples.length - 1) * secondsPerSample;
    if (seconds % 60 === 0) progress(`minute ${seconds / 60}: ${samples.at(-1)} MiB`);
  }, secondsPerSample * 1_000);
  try {
    progress(`${Math.round(load.perSecond)} requests/s for ${load.seconds} s`);
    const overflowsBefore = readAcceptOverflows();
    const offered = (await child.ask('offer', load)) as Offered;
    const acceptOverflows = readAcceptOverflows() - overflowsBefore;
    return { offered, samples, acceptOverflows, acceptedFile };
  } finally {
    clearInterval(sampling);
    await child.kill();
  }
}

async function readLog(stack: Stack, acceptedFile: string): Promise<OnLog> {
  const accepted = new Map<string, string>();
  for await (const line of createInterface({ input: createReadStream(acceptedFile) })) {
    const [key = '', eventId = ''] = line.split(' ');
    accepted.set(key, eventId);
  }
  const records: { key: string; eventId: string }[] = [];
  // A scan may hand a record over twice.
  const next = new Map<number, bigint>();
  await scanTopic({
    kafka: connectTo(stack.kafka),
    logger: silentLogger,
    topic: topicName('events', { prefix: '', generation: 1 }),
    codec: eventCodec,
    onRecord({ partition, offset, value }) {
      if (BigInt(offset) < (next.get(partition) ?? 0n)) return;
      next.set(partition, BigInt(offset) + 1n);
      const key = value?.idempotency?.key;
      if (value && key?.startsWith('soak-')) records.push({ key, eventId: value.eventId });
    },
  });
  return compareWithLog(accepted, records);
}

function report(options: Soaked & { capacityPerSecond: number; log: OnLog }): Report {
  const { capacityPerSecond, offered, samples, acceptOverflows, log } = options;
  const overloaded: Overload = {
    capacityPerSecond,
    offeredPerSecond: offered.sent / offered.seconds,
    statuses: new Map(offered.statuses),
    unanswered: new Map(offered.unanswered),
    acceptedP99Ms: offered.p99Ms,
    residentMiB: samples,
    log,
  };
  const promises = promisesOf(overloaded);
  const { offeredPerSecond } = overloaded;
  const acceptedPerSecond = log.accepted / offered.seconds;
  const memory = memoryOf(samples);
  const eachMinute = samples.filter((_, n) => (n * secondsPerSample) % 60 === 0);
  const answers = [...offered.statuses, ...offered.unanswered]
    .toSorted((a, b) => b[1] - a[1])
    .map(([what, count]) => [what, count, ((count / offered.sent) * 100).toFixed(1)]);
  return {
    name: 'soak',
    figures: {
      'capacity per second': capacityPerSecond,
      'offered per second': offeredPerSecond,
      'accepted per second': acceptedPerSecond,
      'accepted p50 ms': offered.p50Ms,
      'accepted p99 ms': offered.p99Ms,
      'held back': offered.heldBack,
      'accept queue overflows': acceptOverflows,
    },
    ratios: {
      'offered / capacity': offeredPerSecond / capacityPerSecond,
      'accepted / capacity': acceptedPerSecond / capacityPerSecond,
      'memory, later / earlier': memory.laterMiB / memory.earlierMiB,
    },
    tables: [
      [['answer', 'requests', '%'], ...answers],
      [
        ['refused', 'requests'],
        ...offered.refusals.toSorted((a, b) => b[1] - a[1]).map(([said, count]) => [said, count]),
      ],
      [
        ['per second', 'capacity', 'offered', 'accepted', 'p50 ms', 'p99 ms', 'under way'],
        [
          `${offered.seconds} s`,
          ...[capacityPerSecond, offeredPerSecond, acceptedPerSecond].map(Math.round),
          ...[offered.p50Ms, offered.p99Ms, offered.mostUnderWay].map(Math.round),
        ],
      ],
      [['ingest-api at minute', 'MiB'], ...eachMinute.map((mib, minute) => [minute, mib])],
      [
        ['promise', 'kept', 'seen'],
        ...promises.map(({ promise, kept, seen }) => [promise, kept ? 'yes' : 'NO', seen]),
      ],
    ],
    notes: [
      `${offered.heldBack} requests were not sent, as every client waited for an answer`,
      `${acceptOverflows} times, a connection found an accept queue full`,
      `99 % of the time, the load was late by at most ${Math.round(offered.lagP99Ms)} ms`,
    ],
    broken: promises.filter(({ kept }) => !kept).map(({ promise }) => promise),
  };
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSpanCollector } from '@tributary/testkit/span-collector';
import { startThrowawayStack } from '../../deploy/local/throwaway-stack.ts';
import { type Benchmark, median, type Report } from '../report.ts';
import { buildGoServer } from './build-go-server.ts';
import { type Load, runLoad } from './load.ts';
import { measureLatency } from './latency.ts';
import { measureMemory, type Memory } from './memory.ts';
import { measureReading, type ReadingCost } from './reading.ts';
import {
  type Server,
  startBareServer,
  startFloorServer,
  startGoServer,
  startServer,
} from './start-server.ts';
import { stopServices } from './stop-services.ts';

type Mode =
  | 'gathered'
  | 'traced'
  | 'awaited'
  | 'no-kafka'
  | 'go'
  | 'bare-http'
  | 'http and appender'
  | 'http and own encoder';

/** In this order in every round: what is compared stands side by side. */
const kinds: readonly (readonly [Mode, keyed: boolean])[] = [
  ['bare-http', false],
  ['no-kafka', false],
  ['http and own encoder', false],
  ['http and appender', false],
  ['traced', false],
  ['gathered', false],
  ['go', false],
  ['go', true],
  ['gathered', true],
  ['awaited', true],
  ['awaited', false],
  ['no-kafka', true],
];
const rounds = 9;
const secondsPerRun = 3;

/**
 * Accept rate of one ingest-api process on one core with 128 connections, beside the same server
 * with one awaited send per request and with no Kafka at all, a server in Go that does most of the
 * work, one on node:http that only reads the body, and two that append it, too (floor/). All stand
 * ready and take turns, and a ratio is the median of the rounds' own ratios, so that a machine that
 * slows down slows both sides. Then the time from 202 to the webhook at 200 events per second, what
 * strict reading costs, and the memory of the process over many requests.
 */
export const benchIngest: Benchmark = async ({ progress, requests }) => {
  progress('strict reading beside JSON.parse and ajv');
  const reading = measureReading();

  progress('starting the stack');
  const stack = await startThrowawayStack();
  try {
    progress('time from 202 to webhook, 200 events/s for 30 s');
    const latency = await measureLatency(stack);

    const token = await stopServices(stack);
    const runs = await measureAcceptRates(stack, token, progress);
    progress(`memory over ${requests} requests`);
    const memory =
      requests === 0 ? undefined : await measureMemory(stack, { token, requests, progress });
    return report({ runs, latency, reading, memory });
  } finally {
    await stack.stop();
  }
};

type Runs = Map<string, Load[]>;

async function measureAcceptRates(
  stack: Awaited<ReturnType<typeof startThrowawayStack>>,
  token: string,
  progress: (line: string) => void,
): Promise<Runs> {
  const runs: Runs = new Map();
  const servers = new Map<Mode, Server>();
  const directory = await mkdtemp(join(tmpdir(), 'tributary-go-'));
  const collector = await startSpanCollector();
  try {
    progress('building the reference in Go');
    const program = await buildGoServer(directory);
    const start = (mode: Mode) => {
      if (mode === 'bare-http') return startBareServer(stack);
      if (mode === 'http and appender') return startFloorServer(stack, 'appender');
      if (mode === 'http and own encoder') return startFloorServer(stack, 'own-encoder');
      if (mode === 'traced') {
        const on = { TRIBUTARY_TRACES_ENDPOINT: collector.endpoint };
        return startServer(stack, 'gathered', [], on);
      }
      return mode === 'go' ? startGoServer(stack, { program, token }) : startServer(stack, mode);
    };
    for (const [mode] of kinds) {
      if (!servers.has(mode)) servers.set(mode, await start(mode));
      const { url } = servers.get(mode)!;
      for (const keyed of [false, true]) await runLoad({ url, token, keyed, seconds: 1 });
    }
    for (let round = 1; round <= rounds; round++) {
      for (const [mode, keyed] of kinds) {
        const { url } = servers.get(mode)!;
        // It has been idle for half a minute, and V8 gives memory back meanwhile.
        await runLoad({ url, token, keyed, seconds: 1 });
        const load = await runLoad({ url, token, keyed, seconds: secondsPerRun });
        const name = nameOf(mode, keyed);
        runs.set(name, [...(runs.get(name) ?? []), load]);
        progress(`round ${round}/${rounds} ${name}: ${Math.round(load.perSecond)} accepted/s`);
      }
    }
  } finally {
    await Promise.all([...servers.values()].map((server) => server.stop()));
    await collector.stop();
    await rm(directory, { recursive: true });
  }
  if (collector.spans.length === 0) throw new Error('nothing was traced');
  return runs;
}

function nameOf(mode: Mode, keyed: boolean): string {
  return `${mode} ${keyed ? 'keyed' : 'unkeyed'}`;
}

type Measured = {
  runs: Runs;
  latency: { p50Ms: number; p99Ms: number; count: number };
  reading: ReadingCost[];
  memory: Memory | undefined;
};

function report({ runs, latency, reading, memory }: Measured): Report {
  const loadsOf = (mode: Mode, keyed: boolean) => runs.get(nameOf(mode, keyed)) ?? [];
  const rates = (mode: Mode, keyed: boolean) => loadsOf(mode, keyed).map((l) => l.perSecond);
  const p99s = (mode: Mode, keyed: boolean) => loadsOf(mode, keyed).map((l) => l.p99Ms);
  const ratio = (one: number[], other: number[]) => median(one.map((rate, n) => rate / other[n]!));
  const rateRows = [...runs].map(([name, loads]) => [
    name,
    Math.round(median(loads.map((l) => l.perSecond))),
    median(loads.map((l) => l.p50Ms)).toFixed(1),
    median(loads.map((l) => l.p99Ms)).toFixed(1),
    loads.reduce((sum, l) => sum + l.refused + l.broken, 0),
  ]);
  const readings = reading.map(({ body, bytes, strictUs, plainUs, ratio }) => [
    body,
    bytes,
    strictUs.toFixed(2),
    plainUs.toFixed(2),
    ratio.toFixed(2),
  ]);
  return {
    name: 'ingest',
    figures: {
      ...Object.fromEntries(
        [...runs].map(([name, loads]) => [
          `${name} per second`,
          median(loads.map((l) => l.perSecond)),
        ]),
      ),
      'accepted to webhook p50 ms': latency.p50Ms,
      'accepted to webhook p99 ms': latency.p99Ms,
      ...(memory && {
        'resident MiB at start': memory.startMiB,
        'resident MiB at end': memory.endMiB,
      }),
    },
    ratios: {
      'gathered / Go, unkeyed': ratio(rates('gathered', false), rates('go', false)),
      'gathered / Go, keyed': ratio(rates('gathered', true), rates('go', true)),
      'bare node:http / Go, unkeyed': ratio(rates('bare-http', false), rates('go', false)),
      'node:http and own encoder / Go, unkeyed': ratio(
        rates('http and own encoder', false),
        rates('go', false),
      ),
      'node:http and appender / Go, unkeyed': ratio(
        rates('http and appender', false),
        rates('go', false),
      ),
      'no Kafka / bare node:http, unkeyed': ratio(
        rates('no-kafka', false),
        rates('bare-http', false),
      ),
      'p99 gathered / Go, unkeyed': ratio(p99s('gathered', false), p99s('go', false)),
      'p99 gathered / Go, keyed': ratio(p99s('gathered', true), p99s('go', true)),
      'gathered / awaited, unkeyed': ratio(rates('gathered', false), rates('awaited', false)),
      'gathered / awaited, keyed': ratio(rates('gathered', true), rates('awaited', true)),
      'gathered / no Kafka, unkeyed': ratio(rates('gathered', false), rates('no-kafka', false)),
      'gathered / no Kafka, keyed': ratio(rates('gathered', true), rates('no-kafka', true)),
      'traced at 1 % / gathered, unkeyed': ratio(rates('traced', false), rates('gathered', false)),
      'keyed / unkeyed, gathered': ratio(rates('gathered', true), rates('gathered', false)),
      'strict reading / JSON.parse and ajv, dearest body': Math.max(
        ...reading.map(({ ratio }) => ratio),
      ),
    },
    tables: [
      [['accepted on one core', 'per second', 'p50 ms', 'p99 ms', 'refused'], ...rateRows],
      [
        ['202 to webhook at 200/s', 'events', 'p50 ms', 'p99 ms'],
        ['whole path', latency.count, latency.p50Ms.toFixed(0), latency.p99Ms.toFixed(0)],
      ],
      [['reading a body', 'bytes', 'strict µs', 'plain µs', 'ratio'], ...readings],
      ...(memory ? [memoryTable(memory)] : []),
    ],
  };
}

function memoryTable({ requests, startMiB, endMiB, maxMiB }: Memory) {
  return [
    ['memory, half keyed', 'requests', 'start MiB', 'end MiB', 'max MiB'],
    ['ingest-api', requests, startMiB, endMiB, maxMiB],
  ];
}

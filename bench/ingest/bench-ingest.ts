import { startThrowawayStack } from '../../deploy/local/throwaway-stack.ts';
import { tokenFor } from '../../test-e2e/calls.ts';
import { median, type Report } from '../report.ts';
import { type Load, runLoad } from './load.ts';
import { measureLatency } from './latency.ts';
import { startServer } from './start-server.ts';

const modes = ['gathered', 'awaited', 'no-kafka'] as const;
type Mode = (typeof modes)[number];
const rounds = 3;
const secondsPerRun = 6;

/**
 * Accept rate of one ingest-api process on one core with 128 connections, beside the same server
 * with one awaited send per request and with no Kafka at all. Modes take turns, so that a machine
 * that slows down slows them all. Then the time from 202 to the webhook at 200 events per second.
 */
export async function benchIngest(progress: (line: string) => void): Promise<Report> {
  progress('starting the stack');
  const stack = await startThrowawayStack();
  try {
    progress('time from 202 to webhook, 200 events/s for 30 s');
    const latency = await measureLatency(stack);

    const { attribution, rewards, 'webhook-dispatcher': dispatcher } = stack.services;
    const others = [attribution, rewards, dispatcher, stack.services['ingest-api']];
    const token = await tokenFor(stack.demo, stack.demo.tenants[0]!);
    await Promise.all([...others, stack.services['legacy-events']].map((group) => group.stop()));
    const runs = await measureAcceptRates(stack, token, progress);
    return report(runs, latency);
  } finally {
    await stack.stop();
  }
}

type Runs = Map<string, Load[]>;

async function measureAcceptRates(
  stack: Awaited<ReturnType<typeof startThrowawayStack>>,
  token: string,
  progress: (line: string) => void,
): Promise<Runs> {
  const runs: Runs = new Map();
  for (let round = 1; round <= rounds; round++) {
    for (const mode of modes) {
      const server = await startServer(stack, mode);
      try {
        await runLoad({ url: server.url, token, keyed: true, seconds: 2 });
        for (const keyed of [false, true]) {
          const load = await runLoad({ url: server.url, token, keyed, seconds: secondsPerRun });
          const name = nameOf(mode, keyed);
          runs.set(name, [...(runs.get(name) ?? []), load]);
          progress(`round ${round}/${rounds} ${name}: ${Math.round(load.perSecond)} accepted/s`);
        }
      } finally {
        await server.stop();
      }
    }
  }
  return runs;
}

function nameOf(mode: Mode, keyed: boolean): string {
  return `${mode} ${keyed ? 'keyed' : 'unkeyed'}`;
}

function report(runs: Runs, latency: { p50Ms: number; p99Ms: number; count: number }): Report {
  const rate = (mode: Mode, keyed: boolean) =>
    median((runs.get(nameOf(mode, keyed)) ?? []).map((load) => load.perSecond));
  const rows = [...runs].map(([name, loads]) => [
    name,
    Math.round(median(loads.map((l) => l.perSecond))),
    median(loads.map((l) => l.p50Ms)).toFixed(1),
    median(loads.map((l) => l.p99Ms)).toFixed(1),
    loads.reduce((sum, l) => sum + l.refused + l.broken, 0),
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
    },
    ratios: {
      'gathered / awaited, unkeyed': rate('gathered', false) / rate('awaited', false),
      'gathered / awaited, keyed': rate('gathered', true) / rate('awaited', true),
      'gathered / no Kafka, unkeyed': rate('gathered', false) / rate('no-kafka', false),
      'gathered / no Kafka, keyed': rate('gathered', true) / rate('no-kafka', true),
      'keyed / unkeyed, gathered': rate('gathered', true) / rate('gathered', false),
    },
    tables: [
      [['accepted on one core', 'per second', 'p50 ms', 'p99 ms', 'refused'], ...rows],
      [
        ['202 to webhook at 200/s', 'events', 'p50 ms', 'p99 ms'],
        ['whole path', latency.count, latency.p50Ms.toFixed(0), latency.p99Ms.toFixed(0)],
      ],
    ],
  };
}

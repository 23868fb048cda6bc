import { join } from 'node:path';
import { startRedis } from '@tributary/native-servers/redis';
import { freePort } from '@tributary/testkit/free-port';
import { startBenchServers } from '../pipeline/servers.ts';
import { type Benchmark, median, type Report } from '../report.ts';
import { bareLoop } from './bare.ts';
import { bullmq } from './bullmq.ts';
import { dispatcher as dispatcherWith } from './dispatcher.ts';
import { type Drain, runDrain } from './drain.ts';
import { type Endpoint, makeEndpoints } from './endpoints.ts';
import { graphileWorker } from './graphile.ts';
import { fast, hanging, type Isolation, perSecond, runIsolation } from './isolation.ts';
import { type Sink, startSink } from './sink.ts';
import { storedLoop } from './stored.ts';
import type { System, WebhookServers } from './system.ts';

const endpointCount = 100;
const hangMs = 10_000;
const rounds = 3;

const dispatcher = dispatcherWith(1);
const twoDispatchers = dispatcherWith(2);
// As many as the dispatcher has in flight, and as many as the queues.
const bare = bareLoop(1_000);
const bareFewer = bareLoop(100);
const stored = storedLoop(100);
const bull = bullmq(100);
const graphile = { concurrency: 100, localQueue: 500 };
const graphilePlain = graphileWorker({ ...graphile, writesAttempts: false });
const graphileLogged = graphileWorker({ ...graphile, writesAttempts: true });

/** What is compared stands side by side in every round. */
const drained: readonly System[] = [
  dispatcher,
  twoDispatchers,
  bare,
  bareFewer,
  stored,
  bull,
  graphileLogged,
  graphilePlain,
];
const isolated: readonly System[] = [dispatcher, bull, graphileLogged];

/**
 * Deliveries that are all due, drained by the dispatcher and by two queues with the same client,
 * and by a loop that has no queue at all; then what deliveries that hang do to all others.
 */
export const benchWebhooks: Benchmark = async ({ progress, deliveries, cpuProfiles }) => {
  progress('starting Kafka, Postgres and Redis');
  const servers = await startServers();
  let sink: Sink | undefined;
  try {
    sink = await startSink({ endpoints: endpointCount, hangMs, logs: servers.logs });
    const nodeOptions =
      cpuProfiles === undefined ? undefined : `--cpu-prof --cpu-prof-dir=${cpuProfiles}`;
    const world = { servers, sink, nodeOptions, progress };
    const drains = await drainInTurn(world, deliveries);
    const isolations = await isolateInTurn(world);
    return report({ cores: servers.cores, deliveries, drains, isolations });
  } finally {
    await sink?.stop();
    await servers.stop();
  }
};

type World = {
  servers: WebhookServers;
  sink: Sink;
  nodeOptions: string | undefined;
  progress: (line: string) => void;
};

async function startServers() {
  const servers = await startBenchServers();
  try {
    const dir = join(servers.logs, 'redis');
    const redis = await startRedis({ dir, port: await freePort() });
    const stop = async () => {
      await redis.stop();
      await servers.stop();
    };
    return { ...servers, redis: { url: redis.url, pid: redis.pid }, stop };
  } catch (error) {
    await servers.stop();
    throw error;
  }
}

function endpointsOf(sink: Sink, hangsAt?: number): Endpoint[] {
  return makeEndpoints(
    Array.from({ length: endpointCount }, (_, n) => sink.urlOf(n, n === hangsAt)),
  );
}

async function drainInTurn(world: World, count: number): Promise<Map<System, Drain[]>> {
  const { servers, sink, nodeOptions, progress } = world;
  const endpoints = endpointsOf(sink);
  const drains = new Map<System, Drain[]>(drained.map((system) => [system, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const [n, system] of drained.entries()) {
      const name = `drain_${round}_${n}`;
      const drain = await runDrain({ system, name, count, servers, endpoints, sink, nodeOptions });
      drains.get(system)!.push(drain);
      progress(
        `round ${round}/${rounds} ${system.name}: ${Math.round(count / drain.seconds)} deliveries/s`,
      );
    }
  }
  return drains;
}

async function isolateInTurn({ servers, sink, progress }: World): Promise<Map<System, Isolation>> {
  const hangsAt = 0;
  const endpoints = endpointsOf(sink, hangsAt);
  const isolations = new Map<System, Isolation>();
  for (const [n, system] of isolated.entries()) {
    const name = `isolation_${n}`;
    const isolation = await runIsolation({ system, name, servers, endpoints, hangsAt, sink });
    isolations.set(system, isolation);
    const { undisturbed, beside } = isolation;
    progress(
      `${system.name}: p99 ${undisturbed.p99Ms.toFixed(0)} ms, ` +
        `beside ${hanging} that hang ${beside.p99Ms.toFixed(0)} ms`,
    );
  }
  return isolations;
}

type Measured = {
  cores: number;
  deliveries: number;
  drains: Map<System, Drain[]>;
  isolations: Map<System, Isolation>;
};

function report({ cores, deliveries, drains, isolations }: Measured): Report {
  const rates = (system: System) => drains.get(system)!.map((d) => d.deliveries / d.seconds);
  const against = (system: System, one = dispatcher) =>
    median(rates(one).map((rate, n) => rate / rates(system)[n]!));
  const perDeliveryUs = (system: System, what: string) =>
    median(drains.get(system)!.map((d) => ((d.cpuSeconds[what] ?? 0) * 1e6) / deliveries));
  const bytes = drains.get(dispatcher)!.at(-1)!.postgresBytes;
  const processes = ['sender', 'postgres', 'kafka', 'redis', 'sink'];
  const disturbed = (system: System, what: 'p50Ms' | 'p99Ms') => {
    const { undisturbed, beside } = isolations.get(system)!;
    return beside[what] / undisturbed[what];
  };

  return {
    name: 'webhooks',
    figures: {
      ...Object.fromEntries(
        drained.map((s) => [`${s.name}, deliveries per second`, median(rates(s))]),
      ),
      'postgres bytes per delivery': sum(bytes) / deliveries,
      ...Object.fromEntries(
        isolated.flatMap((s) => {
          const { undisturbed, beside } = isolations.get(s)!;
          return [
            [`${s.name}, undisturbed p50 ms`, undisturbed.p50Ms],
            [`${s.name}, undisturbed p99 ms`, undisturbed.p99Ms],
            [`${s.name}, beside hanging p50 ms`, beside.p50Ms],
            [`${s.name}, beside hanging p99 ms`, beside.p99Ms],
          ];
        }),
      ),
    },
    ratios: {
      'dispatcher / BullMQ': against(bull),
      'dispatcher / graphile-worker, attempts logged': against(graphileLogged),
      'dispatcher / graphile-worker': against(graphilePlain),
      'dispatcher / bare loop with facts and rows': against(stored),
      'bare loop with facts and rows / BullMQ': against(bull, stored),
      'dispatcher / bare loop': against(bare),
      'dispatcher / bare loop, 100 at once': against(bareFewer),
      'two dispatchers / BullMQ': against(bull, twoDispatchers),
      'two dispatchers / bare loop, 100 at once': against(bareFewer, twoDispatchers),
      'p50 beside hanging / undisturbed, dispatcher': disturbed(dispatcher, 'p50Ms'),
      'p99 beside hanging / undisturbed, dispatcher': disturbed(dispatcher, 'p99Ms'),
      'p99 beside hanging / undisturbed, BullMQ': disturbed(bull, 'p99Ms'),
      'p99 beside hanging / undisturbed, graphile-worker': disturbed(graphileLogged, 'p99Ms'),
    },
    tables: [
      [
        [`${deliveries} due, on ${cores} cores`, 'deliveries/s', 'rounds', 'sent twice'],
        ...drained.map((s) => [
          s.name,
          Math.round(median(rates(s))),
          rates(s).map(Math.round).join(' '),
          drains.get(s)!.reduce((total, d) => total + d.repeated, 0),
        ]),
      ],
      [
        ['CPU µs per delivery', ...processes, 'all but the sink'],
        ...drained.map((s) => {
          const used = processes.map((what) => Math.round(perDeliveryUs(s, what)));
          return [s.name, ...used, used.slice(0, -1).reduce((total, n) => total + n, 0)];
        }),
      ],
      [
        ['bytes in Postgres per delivery', ''],
        ...Object.entries(bytes).map(([table, n]) => [table, Math.round(n / deliveries)]),
      ],
      [
        [
          `handed over to received, ${perSecond}/s`,
          'p50 ms',
          'p99 ms',
          'p50, hanging',
          'p99, hanging',
        ],
        ...isolated.map((s) => {
          const { undisturbed, beside } = isolations.get(s)!;
          return [
            s.name,
            ...[undisturbed.p50Ms, undisturbed.p99Ms, beside.p50Ms, beside.p99Ms].map((ms) =>
              ms.toFixed(1),
            ),
          ];
        }),
      ],
    ],
    notes: [
      ...drained.map((system) => `${system.name}: ${system.about}`),
      `${hanging} deliveries to one endpoint hang for ${hangMs / 1_000} s, ${fast} go to the others`,
    ],
  };
}

function sum(values: Record<string, number>): number {
  return Object.values(values).reduce((total, n) => total + n, 0);
}

import { withClient } from '@tributary/testkit/database';
import { sum } from '../numbers.ts';
import { cpuSeconds as cpuOf } from '../process-cpu.ts';
import { peakMiB } from '../process-memory.ts';
import { type Outcome, readOutcome } from './check-run.ts';
import type { CostMeter } from './cost-meter.ts';
import {
  countersBetween,
  readCounters,
  readWalPosition,
  type RowCounts,
  walBytesBetween,
} from './counters.ts';
import { asOwnRole, type BenchServers } from './servers.ts';
import { type RelationBytes, relationBytes } from './table-bytes.ts';
import { inVersionsOf, type Tree, thisTree } from './tree.ts';
import { untilBegun, untilDrained } from './until-drained.ts';
import type { Workload } from './workload.ts';

export type PipelineRun = {
  events: number;
  /** From the first records that were applied until each had nothing left to do. */
  attributionSeconds: number;
  rewardsSeconds: number;
  /** Each process counts from its start, Postgres and Kafka while these events went through. */
  cpuSeconds: Record<'attribution' | 'rewards' | 'postgres' | 'kafka', number>;
  /** The most that each process held. */
  peakMiB: Record<'attribution' | 'rewards', number>;
  /** By `schema.table`, start and stop of the processes included. */
  rows: Map<string, RowCounts>;
  /** Transactions of the processes, and a few of whoever watched. */
  transactions: number;
  /** Full-page images included. */
  walBytes: number;
  relationBytes: RelationBytes[];
  topicBytes: Record<'events' | 'attributions' | 'rewards' | 'issuances', number>;
  outcome: Outcome;
  /** The database that the run leaves behind. */
  postgresUrl: string;
};

/**
 * Preloads the topics while attribution and rewards, which know catalog and codes already, are
 * down; then starts both, releases on, and waits until they have nothing left to do. Attribution
 * has when every event is decided and on `referral.attributions`; rewards, which works beside it
 * all the time, when every entitlement, and what of it was due, is on `referral.rewards` and
 * `referral.issuances`.
 */
export async function runPipeline(options: {
  servers: BenchServers;
  workload: Workload;
  name: string;
  progress: (line: string) => void;
  /** For a look with a profiler. */
  nodeOptions?: { NODE_OPTIONS: string };
  /** What else is counted while the events go through. */
  meter?: CostMeter;
  /** Whose attribution and rewards; those of this checkout unless told otherwise. */
  tree?: Tree;
}): Promise<PipelineRun> {
  const { servers, name, progress, nodeOptions, tree = thisTree } = options;
  const workload = inVersionsOf(tree, options.workload);
  const topics = await tree.openTopics(servers.kafkaBrokers, `${name}.`);
  const postgresUrl = await servers.createDatabase(name);
  const stops: (() => Promise<unknown>)[] = [() => topics.close()];
  try {
    const start = async (service: 'attribution' | 'rewards') => {
      const group = await tree.startFold(service, {
        ...servers,
        postgresUrl,
        topicPrefix: `${name}.`,
        say: progress,
        variables: { TRIBUTARY_LOG_LEVEL: 'warn', ...nodeOptions },
      });
      stops.unshift(() => group.stop());
      await group.ready();
      return group.replicas[0]!;
    };
    progress(`${name}: reading the catalog and the codes`);
    await topics.append([...workload.revisions, ...workload.codes]);
    const services = [await start('attribution'), await start('rewards')] as const;
    const measured = await withClient(asOwnRole(postgresUrl), (db) =>
      measure({ ...options, workload, tree, topics, services, db }),
    );
    const bytesOf = (topic: keyof PipelineRun['topicBytes']) =>
      servers.topicBytes(topics.nameOf(topic));
    return {
      events: workload.events.length,
      ...measured,
      relationBytes: await withClient(postgresUrl, (db) => relationBytes(db)),
      topicBytes: {
        events: await bytesOf('events'),
        attributions: await bytesOf('attributions'),
        rewards: await bytesOf('rewards'),
        issuances: await bytesOf('issuances'),
      },
      outcome: await readOutcome(topics, workload),
      postgresUrl,
    };
  } finally {
    for (const stop of stops) await stop();
  }
}

type Running = Parameters<typeof runPipeline>[0] & {
  tree: Tree;
  topics: Awaited<ReturnType<Tree['openTopics']>>;
  services: readonly [Replica, Replica];
  db: Parameters<Parameters<typeof withClient>[1]>[0];
};
type Replica = Awaited<ReturnType<Tree['startFold']>>['replicas'][number];

async function measure(running: Running) {
  const { servers, workload, name, progress, meter, tree, topics, services, db } = running;
  const events = workload.events.length;
  const drained = (what: 'attribution' | 'rewards', startedAt: number) => {
    const backlog = what === 'attribution' ? tree.attributionBacklog : tree.rewardsBacklog;
    return untilDrained({ what, startedAt, read: () => backlog(db, topics), progress });
  };
  await drained('attribution', performance.now());
  await drained('rewards', performance.now());
  for (const service of services) await service.stop();

  await topics.append(
    workload.events,
    everyTenth(events, (n) => progress(`${name}: preloaded ${n}`)),
  );
  await db.query('checkpoint');
  const counted = await readCounters(db);
  await meter?.begin(db);
  const before = servers.cpuSeconds();
  const walFrom = await readWalPosition(db);
  const started = Promise.all(services.map((service) => service.restart()));
  meter?.started({ attribution: services[0].pid, rewards: services[1].pid });
  const startedAt = await untilBegun(db, 'attribution_g1', topics.nameOf('events'));
  await started;
  const attributionSeconds = await drained('attribution', startedAt);
  const rewardsSeconds = await drained('rewards', startedAt);
  const walTo = await readWalPosition(db);
  const after = servers.cpuSeconds();
  const cpuSeconds = {
    attribution: cpuOf(services[0].pid),
    rewards: cpuOf(services[1].pid),
    postgres: after.postgres - before.postgres,
    kafka: after.kafka - before.kafka,
  };
  const peak = { attribution: peakMiB(services[0].pid), rewards: peakMiB(services[1].pid) };
  await meter?.drained();
  for (const service of services) await service.stop();
  const { rows, transactions } = countersBetween(counted, await readCounters(db));
  await meter?.end(db, { from: walFrom, to: walTo });
  progress(
    `${name}: ${Math.round(events / rewardsSeconds)} events/s, ` +
      `${Math.round((sum(cpuSeconds) * 1e6) / events)} µs of CPU each`,
  );
  const walBytes = await walBytesBetween(db, walFrom, walTo);
  const seconds = { attributionSeconds, rewardsSeconds, cpuSeconds };
  return { ...seconds, peakMiB: peak, rows, transactions, walBytes };
}

/** Passes a count on when another tenth is done. */
function everyTenth(total: number, tell: (done: number) => void): (done: number) => void {
  let next = total / 10;
  return (done) => {
    if (done < next) return;
    next = done + total / 10;
    tell(done);
  };
}

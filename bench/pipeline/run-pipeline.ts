import { startFold } from '../../deploy/local/start-fold.ts';
import { attributionBacklog, rewardsBacklog } from '../../test-faults/chain/backlog.ts';
import { openTopics } from '../../test-faults/chain/topics.ts';
import { cpuSeconds as cpuOf } from '../process-cpu.ts';
import { type BenchServers, withClient } from './servers.ts';
import { tableBytes } from './table-bytes.ts';
import { untilBegun, untilDrained } from './until-drained.ts';
import type { Workload } from './workload.ts';

export type PipelineRun = {
  events: number;
  /** From the first records that were applied until each had nothing left to do. */
  attributionSeconds: number;
  rewardsSeconds: number;
  /** Each process counts from its start, Postgres and Kafka while these events went through. */
  cpuSeconds: Record<'attribution' | 'rewards' | 'postgres' | 'kafka', number>;
  /** By schema, indexes and all. */
  tableBytes: Record<string, number>;
  topicBytes: Record<'events' | 'attributions' | 'rewards' | 'issuances', number>;
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
}): Promise<PipelineRun> {
  const { servers, workload, name, progress, nodeOptions } = options;
  const events = workload.events.length;
  const topics = await openTopics(servers.kafkaBrokers, `${name}.`);
  const postgresUrl = await servers.createDatabase(name);
  const stops: (() => Promise<unknown>)[] = [() => topics.close()];
  try {
    const start = async (service: 'attribution' | 'rewards') => {
      const group = await startFold(service, {
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
    progress('reading the catalog and the codes');
    await topics.append([...workload.revisions, ...workload.codes]);
    const services = [await start('attribution'), await start('rewards')] as const;
    const measured = await withClient(postgresUrl, async (db) => {
      const drained = (what: 'attribution' | 'rewards', startedAt: number) => {
        const backlog = what === 'attribution' ? attributionBacklog : rewardsBacklog;
        return untilDrained({ what, startedAt, read: () => backlog(db, topics), progress });
      };
      await drained('attribution', performance.now());
      await drained('rewards', performance.now());
      for (const service of services) await service.stop();

      await topics.append(
        workload.events,
        everyTenth(events, (n) => progress(`preloaded ${n}`)),
      );
      await db.query('checkpoint');
      const before = servers.cpuSeconds();
      const started = Promise.all(services.map((service) => service.restart()));
      const startedAt = await untilBegun(db, 'attribution_g1', topics.nameOf('events'));
      await started;
      const attributionSeconds = await drained('attribution', startedAt);
      const rewardsSeconds = await drained('rewards', startedAt);
      const after = servers.cpuSeconds();
      const cpuSeconds = {
        attribution: cpuOf(services[0].pid),
        rewards: cpuOf(services[1].pid),
        postgres: after.postgres - before.postgres,
        kafka: after.kafka - before.kafka,
      };
      return { attributionSeconds, rewardsSeconds, cpuSeconds };
    });
    const bytesOf = (topic: keyof PipelineRun['topicBytes']) =>
      servers.topicBytes(topics.nameOf(topic));
    return {
      events,
      ...measured,
      tableBytes: await withClient(postgresUrl, tableBytes),
      topicBytes: {
        events: await bytesOf('events'),
        attributions: await bytesOf('attributions'),
        rewards: await bytesOf('rewards'),
        issuances: await bytesOf('issuances'),
      },
      postgresUrl,
    };
  } finally {
    for (const stop of stops) await stop();
  }
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

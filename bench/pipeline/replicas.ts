import { rewardCodec } from '@tributary/contracts/reward-record';
import { startFold } from '../../deploy/local/start-fold.ts';
import { attributionBacklog, rewardsBacklog } from '../../test-faults/chain/backlog.ts';
import { openTopics } from '../../test-faults/chain/topics.ts';
import { cpuSeconds } from '../process-cpu.ts';
import { entitledBy } from './check-run.ts';
import { copyTopic, pasteTopic, type TopicCopy } from './copied-topics.ts';
import { createCpuQuota } from './cpu-quota.ts';
import { type LockWaits, watchLocks } from './lock-waits.ts';
import { asOwnRole, type BenchServers, withClient } from './servers.ts';
import { untilDrained } from './until-drained.ts';
import { makeWorkload, type Workload } from './workload.ts';

export type ReplicaRun = {
  replicas: number;
  events: number;
  seconds: number;
  /** What each replica used of a core while it lasted. */
  cpuShares: number[];
  locks: LockWaits;
  /** Credits of all rewards. */
  entitled: string;
};

export type ReplicaRuns = {
  runs: ReplicaRun[];
  /** What each process may use of a core; undefined where the machine does not hold it to that. */
  quota: number | undefined;
  recipients: number;
};

const counts = [1, 2, 3];
const recipients = 300;
/** Three of them, Postgres and Kafka have room on two cores. */
const shareOfCore = 0.25;

/**
 * How much more several rewards processes do than one, where decisions about 300 referrers' users
 * lie ready: each process is held to a quarter of a core, so that the machine does not bound it.
 */
export async function measureReplicas(options: {
  servers: BenchServers;
  events: number;
  rounds: number;
  progress: (line: string) => void;
}): Promise<ReplicaRuns> {
  const { servers, events, rounds, progress } = options;
  const workload = makeWorkload(events, new Date(), { referrers: recipients });
  const decided = await decide(servers, workload, progress);
  const runs: ReplicaRun[] = [];
  const held: boolean[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const replicas of counts) {
      const name = `replicas_${round}_${replicas}`;
      const run = await runReplicas({ servers, workload, decided, replicas, name, progress });
      runs.push(run);
      held.push(run.held);
    }
  }
  const sums = new Set(runs.map(({ entitled }) => entitled));
  if (sums.size > 1) throw new Error(`runs gave different credits: ${[...sums].join(', ')}`);
  return { runs, quota: held.every(Boolean) ? shareOfCore : undefined, recipients };
}

/** What attribution makes of the events, by itself. */
async function decide(
  servers: BenchServers,
  workload: Workload,
  progress: (line: string) => void,
): Promise<TopicCopy> {
  const name = 'replicas_decided';
  const topics = await openTopics(servers.kafkaBrokers, `${name}.`);
  const postgresUrl = await servers.createDatabase(name);
  const where = { ...servers, postgresUrl, topicPrefix: `${name}.`, say: progress };
  const group = await startFold('attribution', { ...where, variables: quiet });
  try {
    await group.ready();
    await withClient(asOwnRole(postgresUrl), async (db) => {
      // The codes first: otherwise many decisions wait for theirs, and are made again, for another
      // key.
      for (const records of [[...workload.revisions, ...workload.codes], workload.events]) {
        await topics.append(records);
        await untilDrained({
          ...{ what: 'attribution', startedAt: performance.now(), progress },
          read: () => attributionBacklog(db, topics),
        });
      }
    });
    return await copyTopic(topics, 'attributions');
  } finally {
    await group.stop();
    await topics.close();
    await servers.dropDatabase(name);
  }
}

async function runReplicas(options: {
  servers: BenchServers;
  workload: Workload;
  decided: TopicCopy;
  replicas: number;
  name: string;
  progress: (line: string) => void;
}): Promise<ReplicaRun & { held: boolean }> {
  const { servers, workload, decided, replicas, name, progress } = options;
  const topics = await openTopics(servers.kafkaBrokers, `${name}.`);
  const postgresUrl = await servers.createDatabase(name);
  const where = { ...servers, postgresUrl, topicPrefix: `${name}.`, say: progress };
  const group = await startFold('rewards', { ...where, replicas, variables: quiet });
  const quota = createCpuQuota(shareOfCore);
  try {
    await group.ready();
    await topics.append(workload.revisions);
    const measured = await withClient(asOwnRole(postgresUrl), async (db) => {
      const drained = (startedAt: number) =>
        untilDrained({ what: name, startedAt, read: () => rewardsBacklog(db, topics), progress });
      await drained(performance.now());
      const pids = group.replicas.map(({ pid }) => pid);
      for (const pid of pids) quota?.hold(pid);
      const before = pids.map(cpuSeconds);
      const locks = watchLocks(postgresUrl);
      const startedAt = performance.now();
      await pasteTopic(topics, decided);
      const seconds = await drained(startedAt);
      const cpuShares = pids.map((pid, i) => (cpuSeconds(pid) - before[i]!) / seconds);
      return { seconds, cpuShares, locks: await locks.end() };
    });
    const events = workload.events.length;
    progress(`${replicas} replicas: ${Math.round(events / measured.seconds)} events/s`);
    return {
      ...{ replicas, events, ...measured },
      entitled: entitledBy(await topics.read('rewards', rewardCodec)),
      held: (quota?.stillHolds() ?? false) && measured.cpuShares.every((share) => share < limit),
    };
  } finally {
    await group.stop();
    await quota?.remove();
    await topics.close();
    await servers.dropDatabase(name);
  }
}

const quiet = { TRIBUTARY_LOG_LEVEL: 'warn' };
/** The kernel counts by periods of a tenth of a second, and lets one be overdrawn a little. */
const limit = shareOfCore * 1.25;

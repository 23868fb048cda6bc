import { decisionCodec } from '@tributary/contracts/decision-record';
import { rewardCodec } from '@tributary/contracts/reward-record';
import type { Topic } from '@tributary/contracts/topics';
import { withClient } from '@tributary/testkit/database';
import { startFold } from '../../deploy/local/start-fold.ts';
import { attributionBacklog, rewardsBacklog } from '../../test-faults/chain/backlog.ts';
import { openTopics, type Topics } from '../../test-faults/chain/topics.ts';
import { decidedBy, entitledBy } from '../pipeline/check-run.ts';
import { asOwnRole, type BenchServers } from '../pipeline/servers.ts';
import { untilDrained } from '../pipeline/until-drained.ts';
import type { Workload } from '../pipeline/workload.ts';
import { cpuSeconds } from '../process-cpu.ts';
import { copyTopic, pasteTopic, type TopicCopy } from './copied-topics.ts';
import { createCpuQuota } from './cpu-quota.ts';
import { type LockWaits, watchLocks } from './lock-waits.ts';

export type Fold = 'attribution' | 'rewards';

export type ReplicaRun = {
  fold: Fold;
  replicas: number;
  events: number;
  seconds: number;
  /** What each replica used of a core while it lasted. */
  cpuShares: number[];
  locks: LockWaits;
  /** What came of the events; the same in every run of a fold. */
  result: string;
  /** Whether the kernel kept each replica within its share of a core. */
  held: boolean;
};

/** Three of them, Postgres and Kafka have room on two cores. */
export const shareOfCore = 0.25;

/** What a fold has before the clock starts, what it works off, and how its end is told. */
type Work = {
  known: (workload: Workload) => Parameters<Topics['append']>[0];
  backlog: typeof attributionBacklog;
  resultOf: (topics: Topics) => Promise<string>;
};

const works: Record<Fold, Work> = {
  attribution: {
    known: ({ revisions, codes }) => [...revisions, ...codes],
    backlog: attributionBacklog,
    resultOf: async (topics) => decidedBy(await topics.read('attributions', decisionCodec)),
  },
  rewards: {
    known: ({ revisions }) => revisions,
    backlog: rewardsBacklog,
    resultOf: async (topics) => entitledBy(await topics.read('rewards', rewardCodec)),
  },
};

/** What each fold reads: the events, and what attribution, by itself, makes of them. */
export async function makeInputs(
  servers: BenchServers,
  workload: Workload,
  progress: (line: string) => void,
): Promise<Record<Fold, TopicCopy>> {
  const name = 'scale_decided';
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
    const copy = (topic: Topic) => copyTopic(topics, topic);
    return { attribution: await copy('events'), rewards: await copy('attributions') };
  } finally {
    await group.stop();
    await topics.close();
    await servers.dropDatabase(name);
  }
}

/** So many processes of one fold, on topics and a database of their own, from start to last row. */
export async function runReplicas(options: {
  servers: BenchServers;
  workload: Workload;
  fold: Fold;
  input: TopicCopy;
  replicas: number;
  name: string;
  progress: (line: string) => void;
}): Promise<ReplicaRun> {
  const { servers, workload, fold, input, replicas, name, progress } = options;
  const { known, backlog, resultOf } = works[fold];
  const topics = await openTopics(servers.kafkaBrokers, `${name}.`);
  const postgresUrl = await servers.createDatabase(name);
  const where = { ...servers, postgresUrl, topicPrefix: `${name}.`, say: progress };
  const group = await startFold(fold, { ...where, replicas, variables: quiet });
  const quota = createCpuQuota(shareOfCore);
  try {
    await group.ready();
    await topics.append(known(workload));
    const measured = await withClient(asOwnRole(postgresUrl), async (db) => {
      const drained = (startedAt: number) =>
        untilDrained({ what: name, startedAt, read: () => backlog(db, topics), progress });
      await drained(performance.now());
      const pids = group.replicas.map(({ pid }) => pid);
      for (const pid of pids) quota?.hold(pid);
      const before = pids.map(cpuSeconds);
      const locks = watchLocks(postgresUrl);
      const startedAt = performance.now();
      await pasteTopic(topics, input);
      const seconds = await drained(startedAt);
      const cpuShares = pids.map((pid, i) => (cpuSeconds(pid) - before[i]!) / seconds);
      return { seconds, cpuShares, locks: await locks.end() };
    });
    const events = workload.events.length;
    progress(`${fold}, ${replicas} replicas: ${Math.round(events / measured.seconds)} events/s`);
    return {
      ...{ fold, replicas, events, ...measured },
      result: await resultOf(topics),
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

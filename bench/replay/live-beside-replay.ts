import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '@tributary/testkit/database';
import { startFold } from '../../deploy/local/start-fold.ts';
import { attributionBacklog } from '../../test-faults/chain/backlog.ts';
import { openTopics } from '../../test-faults/chain/topics.ts';
import { type BenchServers } from '../pipeline/servers.ts';
import { untilDrained } from '../pipeline/until-drained.ts';
import { percentile } from '../report.ts';
import { runFold } from './run-fold.ts';
import { makeReplayWorkload, type ReplayWorkload } from './workload.ts';

export type LiveLag = { what: string; p50: number; p99: number; max: number; seconds: number };

const eventsPerSecond = 200;
/** As the replay service does: it stands still while live is this far behind. */
const yieldsAbove = 500;

/**
 * How far live attribution is behind, in facts, while 200 events a second come in: by itself, and
 * beside a fold of the history on the same two cores. Looked at ten times a second.
 */
export async function measureLiveLag(options: {
  servers: BenchServers;
  /** Under this prefix lies the history that is folded. */
  history: { prefix: string };
  progress: (line: string) => void;
}): Promise<LiveLag[]> {
  const { servers, history, progress } = options;
  const topics = await openTopics(servers.kafkaBrokers, 'lag.');
  const postgresUrl = await servers.createDatabase('lag');
  const group = await startFold('attribution', {
    ...servers,
    postgresUrl,
    topicPrefix: 'lag.',
    say: progress,
    variables: { TRIBUTARY_LOG_LEVEL: 'warn' },
  });
  try {
    await group.ready();
    return await withClient(postgresUrl, async (db) => {
      const workload = makeReplayWorkload(200_000, new Date());
      await topics.append([...workload.revisions, ...workload.codes]);
      const lagNow = async () => (await attributionBacklog(db, topics)).lag;
      await untilDrained({
        ...{ what: 'attribution', startedAt: performance.now(), progress },
        read: () => attributionBacklog(db, topics),
      });
      const flow = beginFlow(workload, topics.append);
      try {
        const alone = await watchLag('live alone', lagNow, () => delay(20_000));
        const yieldToLive = async () => (await lagNow()) > yieldsAbove;
        const fold = () =>
          runFold({ ...servers, ...history, progress, yieldToLive }).then(() => undefined);
        return [alone, await watchLag('live beside a replay', lagNow, fold)];
      } finally {
        await flow.stop();
      }
    });
  } finally {
    await group.stop();
    await topics.close();
  }
}

function beginFlow(
  workload: ReplayWorkload,
  append: (
    events: ReturnType<ReplayWorkload['batches']> extends Generator<infer B> ? B : never,
  ) => Promise<void>,
) {
  let going = true;
  const flowing = (async () => {
    const startedAt = performance.now();
    let sent = 0;
    for (const batch of workload.batches()) {
      for (let i = 0; i < batch.length && going; i += 20) {
        await append(batch.slice(i, i + 20));
        sent += 20;
        const ahead = (sent / eventsPerSecond) * 1_000 - (performance.now() - startedAt);
        if (ahead > 0) await delay(ahead);
      }
      if (!going) return;
    }
  })();
  return {
    async stop() {
      going = false;
      await flowing;
    },
  };
}

async function watchLag(
  what: string,
  lagNow: () => Promise<number>,
  during: () => Promise<void>,
): Promise<LiveLag> {
  const lags: number[] = [];
  const startedAt = performance.now();
  let going = true;
  const watching = (async () => {
    for (; going; await delay(100)) lags.push(await lagNow());
  })();
  try {
    await during();
  } finally {
    going = false;
  }
  await watching;
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    what,
    p50: percentile(lags, 50),
    p99: percentile(lags, 99),
    max: Math.max(...lags),
    seconds,
  };
}

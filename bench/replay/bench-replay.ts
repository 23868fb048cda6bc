import { topicName } from '@tributary/contracts/topics';
import { openTopics } from '../../test-faults/chain/topics.ts';
import { runPureSql } from '../pipeline/pure-sql.ts';
import { type PipelineRun, runPipeline } from '../pipeline/run-pipeline.ts';
import { type BenchServers, startBenchServers } from '../pipeline/servers.ts';
import { bytesBySchema } from '../pipeline/table-bytes.ts';
import { makeWorkload } from '../pipeline/workload.ts';
import type { Benchmark, Report } from '../report.ts';
import { type LiveLag, measureLiveLag } from './live-beside-replay.ts';
import { readAndParse } from './read-and-parse.ts';
import { type FoldRun, runFold } from './run-fold.ts';
import { makeReplayWorkload } from './workload.ts';

/**
 * The share of the events that goes through real processes into tables; of that, the share that SQL
 * alone writes.
 */
const rebuildShare = 0.1;
const pureSqlShare = 0.5;

/**
 * All of history folded in memory (verify and preview do this), by two processes on two cores with
 * Kafka; half of it, to see how time grows; beside the limit of reading in the same run. Then a
 * rebuild that writes rows, beside the limit of writing them; and how far live is behind meanwhile.
 */
export const benchReplay: Benchmark = async ({ progress, history }) => {
  progress('starting Kafka and Postgres');
  const servers = await startBenchServers();
  try {
    const { kafkaBrokers } = servers;
    const bytes = await preload(servers, 'whole.', history, progress);
    await preload(servers, 'half.', Math.round(history / 2), progress);
    progress('reading and parsing alone');
    const reading = await readAndParse({
      kafkaBrokers,
      topic: topicName('events', { prefix: 'whole.', generation: 1 }),
    });
    const half = await runFold({ kafkaBrokers, prefix: 'half.', progress });
    const whole = await runFold({ kafkaBrokers, prefix: 'whole.', progress });
    const lags = await measureLiveLag({ servers, history: { prefix: 'half.' }, progress });
    const workload = makeWorkload(Math.max(1_000, Math.round(history * rebuildShare)), new Date());
    const rebuild = await runPipeline({ servers, workload, name: 'rebuild', progress });
    const sample = Math.ceil(workload.events.length * pureSqlShare);
    const pureSql = await runPureSql({ from: rebuild, sample, progress });
    const { cores } = servers;
    return report({ cores, bytes, reading, half, whole, lags, rebuild, pureSql });
  } finally {
    await servers.stop();
  }
};

async function preload(
  servers: BenchServers,
  prefix: string,
  events: number,
  progress: (line: string) => void,
): Promise<number> {
  const topics = await openTopics(servers.kafkaBrokers, prefix);
  try {
    const workload = makeReplayWorkload(events, new Date());
    await topics.append([...workload.revisions, ...workload.codes]);
    for (const batch of workload.batches()) await topics.append(batch);
    await topics.append(workload.lateCodes);
    progress(`preloaded ${events} events of ${workload.users} users`);
    return await servers.topicBytes(topics.nameOf('events'));
  } finally {
    await topics.close();
  }
}

type Rate = { events: number; seconds: number };

type Measured = {
  cores: number;
  /** The size of the topic of all events. */
  bytes: number;
  reading: Rate;
  half: FoldRun;
  whole: FoldRun;
  lags: LiveLag[];
  rebuild: PipelineRun;
  pureSql: Rate & { rows: number };
};

function report(measured: Measured): Report {
  const { cores, bytes, reading, half, whole, lags, rebuild, pureSql } = measured;
  const rate = ({ events, seconds }: Rate) => events / seconds;
  const rebuilt = { events: rebuild.events, seconds: rebuild.rewardsSeconds };
  const sum = (parts: Record<string, number>) => Object.values(parts).reduce((a, b) => a + b, 0);
  const row = (what: string, of: Rate) => [
    ...[what, of.events, of.seconds.toFixed(1), Math.round(rate(of))],
  ];
  const foldRow = (what: string, run: FoldRun) => [
    ...row(what, run),
    run.peakMiB,
    Math.round((run.cpuSeconds * 1e6) / run.events),
    Math.round(run.diskBytes / run.events),
  ];
  return {
    name: 'replay',
    figures: {
      'fold in memory, events per second': rate(whole),
      'peak MiB of a process': Math.max(half.peakMiB, whole.peakMiB),
      'read and parse, events per second': rate(reading),
      'rebuild, events per second': rate(rebuilt),
      'pure SQL, events per second': rate(pureSql),
      'kafka bytes per event': bytes / whole.events,
      'postgres bytes per event': sum(bytesBySchema(rebuild.relationBytes)) / rebuild.events,
      ...Object.fromEntries(lags.map(({ what, p99 }) => [`lag p99 in facts, ${what}`, p99])),
    },
    ratios: {
      'fold in memory / read and parse': rate(whole) / rate(reading),
      'seconds of twice the events': whole.seconds / half.seconds,
      'rebuild / pure SQL': rate(rebuilt) / rate(pureSql),
    },
    tables: [
      [
        [`on ${cores} cores`, 'events', 'seconds', 'events/s', 'peak MiB', 'CPU µs', 'disk bytes'],
        foldRow('fold in memory', whole),
        foldRow('of half the history', half),
        [...row('read and parse, one process', reading), '', '', ''],
        [...row('rebuild into tables', rebuilt), '', '', ''],
        [...row('the same rows by pure SQL', pureSql), '', '', ''],
      ],
      [
        ['facts that live is behind', 'p50', 'p99', 'most', 'seconds'],
        ...lags.map(({ what, p50, p99, max, seconds }) => [
          what,
          p50,
          p99,
          max,
          seconds.toFixed(0),
        ]),
      ],
    ],
    notes: [
      'all in: starting processes, reading the log, both folds, hashing, writing the lines of state',
      `live gets 200 events a second; the replay stands still while it is 500 behind`,
    ],
  };
}

import type { Benchmark, Report } from '../report.ts';
import { type LateArrivals, lateRules, runLateArrivals } from './late-arrivals.ts';
import { runPerEvent } from './per-event.ts';
import { runPureSql } from './pure-sql.ts';
import { type PipelineRun, runPipeline } from './run-pipeline.ts';
import { type BenchServers, startBenchServers } from './servers.ts';
import { makeWorkload } from './workload.ts';

/** Beside 200,000 events of the pipeline; both are steady after a few thousand. */
const perEventShare = 0.05;
const pureSqlShare = 0.25;
const few = 100;

/**
 * Events through attribution and rewards, one process of each, on two cores with Kafka and
 * Postgres; beside it, in the same run, what the usual way makes of the same events (one
 * transaction each), and how fast the rows that the pipeline left behind can be written at all.
 * Then what a late purchase costs a referrer who has very many, against one who has a hundred.
 */
export const benchPipeline: Benchmark = async ({ progress, events, cpuProfiles }) => {
  progress('starting Kafka and Postgres');
  const servers = await startBenchServers();
  try {
    const workload = makeWorkload(events, new Date());
    const name = 'pipeline';
    const profiles = cpuProfiles !== undefined && {
      nodeOptions: { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${cpuProfiles}` },
    };
    const run = await runPipeline({ servers, workload, name, progress, ...profiles });
    const sample = Math.ceil(events * perEventShare);
    const perEvent = { servers, workload, sample, progress };
    const oneByOne = await runPerEvent({ ...perEvent, connections: 1 });
    const tenAtOnce = await runPerEvent({ ...perEvent, connections: 10 });
    const pureSql = await runPureSql({
      servers,
      from: run,
      sample: Math.ceil(events * pureSqlShare),
      progress,
    });
    const late = await measureLateArrivals(servers, Math.floor(events / 2), progress);
    return report({ cores: servers.cores, run, oneByOne, tenAtOnce, pureSql, late });
  } finally {
    await servers.stop();
  }
};

async function measureLateArrivals(
  servers: BenchServers,
  events: number,
  progress: (line: string) => void,
): Promise<LateArrivals[]> {
  const runs: LateArrivals[] = [];
  for (const [i, rule] of Object.keys(lateRules).entries()) {
    for (const perReferrer of [few, events]) {
      const name = `late_${i}_${perReferrer}`;
      runs.push(await runLateArrivals({ servers, rule, events, perReferrer, name, progress }));
    }
  }
  return runs;
}

type Rate = { events: number; seconds: number };

type Measured = {
  cores: number;
  run: PipelineRun;
  oneByOne: Rate;
  tenAtOnce: Rate;
  pureSql: Rate & { rows: number };
  late: LateArrivals[];
};

function report({ cores, run, oneByOne, tenAtOnce, pureSql, late }: Measured): Report {
  const { events } = run;
  const rate = ({ events: n, seconds }: Rate) => n / seconds;
  const attribution = events / run.attributionSeconds;
  const whole = events / run.rewardsSeconds;
  const perEventBytes = (bytes: Record<string, number>) =>
    Object.entries(bytes).map(([what, n]) => [what, Math.round(n / events)] as const);
  const sum = (bytes: Record<string, number>) =>
    Object.values(bytes).reduce((total, n) => total + n, 0);
  const lateRatios = Object.keys(lateRules).map((rule) => {
    const runs = late.filter((one) => one.rule === rule);
    const [small, large] = runs.toSorted((a, b) => a.perReferrer - b.perReferrer);
    const name = `${large!.perReferrer} late purchases / ${small!.perReferrer}, ${rule}`;
    return [name, large!.perEventUs / small!.perEventUs] as const;
  });

  return {
    name: 'pipeline',
    figures: {
      'attribution events per second': attribution,
      'attribution and rewards events per second': whole,
      'one transaction per event, events per second': rate(oneByOne),
      'one transaction per event, ten at once, events per second': rate(tenAtOnce),
      'pure SQL, events per second': rate(pureSql),
      'postgres bytes per event': sum(run.tableBytes) / events,
      'topic bytes per event': sum(run.topicBytes) / events,
      ...Object.fromEntries(
        late.map((r) => [`${r.rule}, ${r.perReferrer} per referrer, µs per event`, r.perEventUs]),
      ),
    },
    ratios: {
      'pipeline / one transaction per event': whole / rate(oneByOne),
      'pipeline / one transaction per event, ten at once': whole / rate(tenAtOnce),
      'pipeline / pure SQL': whole / rate(pureSql),
      ...Object.fromEntries(lateRatios),
    },
    tables: [
      [
        [`on ${cores} cores`, 'events', 'seconds', 'events/s'],
        rateRow('attribution drained', { events, seconds: run.attributionSeconds }),
        rateRow('rewards drained', { events, seconds: run.rewardsSeconds }),
        rateRow('one transaction per event', oneByOne),
        rateRow('the same, ten at once', tenAtOnce),
        rateRow('the same rows by pure SQL', pureSql),
      ],
      [
        ['CPU µs per event', ''],
        ...Object.entries(run.cpuSeconds).map(([what, n]) => [
          what,
          Math.round((n * 1e6) / events),
        ]),
      ],
      [
        ['bytes per event', ''],
        ...perEventBytes(run.tableBytes).map(([what, n]) => [`tables ${what}`, n]),
        ...perEventBytes(run.topicBytes).map(([what, n]) => [`topic ${what}`, n]),
      ],
      [
        ['late purchases in random order', 'per referrer', 'events', 'µs per event'],
        ...late.map((r) => [r.rule, r.perReferrer, r.events, r.perEventUs.toFixed(0)]),
      ],
    ],
    notes: [
      `rows per event: ${(pureSql.rows / pureSql.events).toFixed(1)}; ` +
        'both stages run at once, so the second figure is that of the whole pipeline',
    ],
  };
}

function rateRow(name: string, { events, seconds }: Rate) {
  return [name, events, seconds.toFixed(1), Math.round(events / seconds)];
}

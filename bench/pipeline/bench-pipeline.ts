import { type Benchmark } from '../report.ts';
import { createCostMeter } from './cost-meter.ts';
import { measureLateArrivals } from './late-arrivals.ts';
import { measureRebuild } from './rebuild.ts';
import { reportCosts } from './report-costs.ts';
import { type PartReport, putTogether } from './report-parts.ts';
import { reportLateArrivals, reportRebuild } from './report-others.ts';
import { reportRounds } from './report-rounds.ts';
import { reportSystem } from './report-system.ts';
import { runRounds } from './rounds.ts';
import { runPipeline } from './run-pipeline.ts';
import { type BenchServers, startBenchServers } from './servers.ts';
import { otherTree, thisTree, type Tree } from './tree.ts';
import { measureWholeSystem } from './whole-system.ts';
import { makeWorkload } from './workload.ts';

type Options = Parameters<Benchmark>[0];
type Part = (servers: BenchServers, options: Options) => Promise<PartReport>;

/** In this order; each has servers that nothing else uses meanwhile. */
const parts: Record<string, Part> = {
  rounds: async (servers, { events, rounds, beside, cpuProfiles, progress }) => {
    const workload = makeWorkload(Math.ceil(events / rounds), new Date());
    const profiled = profilesIn(cpuProfiles);
    const done = await runRounds({ servers, workload, rounds, beside, progress, ...profiled });
    return reportRounds(done, servers.cores);
  },

  costs: async (servers, { events, beside, progress }) => {
    const workload = makeWorkload(Math.min(events, 20_000), new Date());
    const costsOf = async (tree: Tree, name: string) => {
      const meter = createCostMeter(servers.pids);
      const run = await runPipeline({ servers, workload, name, progress, meter, tree });
      await servers.dropDatabase(name);
      return { run, costs: meter.costs() };
    };
    const own = await costsOf(thisTree, 'costs');
    return reportCosts(
      own,
      beside === undefined ? undefined : await costsOf(await otherTree(beside), 'beside_costs'),
    );
  },

  late: async (servers, { events, progress }) =>
    reportLateArrivals(await measureLateArrivals(servers, Math.floor(events / 6), progress)),

  rebuild: async (servers, { events, cpuProfiles, progress }) => {
    const workload = makeWorkload(Math.ceil(events / 4), new Date());
    const profiled = profilesIn(cpuProfiles);
    return reportRebuild(await measureRebuild({ servers, workload, progress, ...profiled }));
  },
};

function profilesIn(dir: string | undefined) {
  return dir !== undefined && { nodeOptions: { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${dir}` } };
}

const system = 'system';

/**
 * Events through attribution and rewards, one process of each, on two cores with Kafka and
 * Postgres; taking turns with it what the usual way makes of the same events (one transaction
 * each), and how fast the rows that the pipeline left behind can be written at all. Then what an
 * event costs where, late purchases, a rebuild, and the whole system at 200 events a second.
 */
export const benchPipeline: Benchmark = async (options) => {
  const { progress, parts: asked = [...Object.keys(parts), system] } = options;
  const unknown = asked.find((name) => name !== system && !(name in parts));
  if (unknown !== undefined) {
    throw new Error(`${unknown} is none of ${[...Object.keys(parts), system].join(', ')}`);
  }
  const reports: PartReport[] = [];
  if (asked.some((name) => name in parts)) {
    progress('starting Kafka and Postgres');
    const servers = await startBenchServers();
    try {
      for (const [name, run] of Object.entries(parts)) {
        if (asked.includes(name)) reports.push(await run(servers, options));
      }
    } finally {
      await servers.stop();
    }
  }
  if (asked.includes(system)) {
    const events = Math.min(20_000, options.events);
    reports.push(reportSystem(await measureWholeSystem({ events, progress })));
  }
  return putTogether('pipeline', reports);
};

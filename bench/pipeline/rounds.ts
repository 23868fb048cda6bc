import { requireEqual } from './check-run.ts';
import { runPerEvent } from './per-event.ts';
import { runPureSql } from './pure-sql.ts';
import { type PipelineRun, runPipeline } from './run-pipeline.ts';
import type { BenchServers } from './servers.ts';
import { otherTree, type Tree } from './tree.ts';
import type { Workload } from './workload.ts';

export type Rate = { events: number; seconds: number };
export const rateOf = ({ events, seconds }: Rate) => events / seconds;

/** A run of a pipeline, and the limit of writing the rows that it left. */
export type Limited = { run: PipelineRun; pureSql: Rate & { rows: number } };

export type Round = Limited & {
  oneByOne: Rate;
  tenAtOnce: Rate;
  /** The same of another checkout. */
  beside?: Limited;
};

/** Beside all events that go through the pipeline; both are steady after a few thousand. */
const perEventShare = 0.05;
const pureSqlShare = 0.25;

/**
 * Everything that is compared takes turns on the same servers, in each round on empty topics and
 * databases, so that a machine that slows down slows all of it. A round's ratio is of its own runs.
 */
export async function runRounds(options: {
  servers: BenchServers;
  workload: Workload;
  rounds: number;
  /** A checkout of another version, which takes its turn as well. */
  beside: string | undefined;
  progress: (line: string) => void;
  nodeOptions?: { NODE_OPTIONS: string };
}): Promise<Round[]> {
  const { servers, workload, rounds, progress } = options;
  const sample = Math.ceil(workload.events.length * perEventShare);
  const other = options.beside === undefined ? undefined : await otherTree(options.beside);
  const done: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round} of ${rounds}`);
    const perEvent = { servers, workload, sample, progress };
    const own = await runLimited({ ...options, name: `pipeline_${round}` });
    const name = `per_event_${round}`;
    const oneByOne = await runPerEvent({ ...perEvent, connections: 1, name });
    const tenAtOnce = await runPerEvent({ ...perEvent, connections: 10, name: `${name}_ten` });
    const beside =
      other && (await runLimited({ ...options, name: `beside_${round}`, tree: other }));
    done.push({ ...own, oneByOne, tenAtOnce, ...(beside && { beside }) });
  }
  requireEqual(
    'rounds differ',
    done.flatMap(({ run, beside }) => [run.outcome, ...(beside ? [beside.run.outcome] : [])]),
  );
  return done;
}

async function runLimited(options: {
  servers: BenchServers;
  workload: Workload;
  name: string;
  tree?: Tree;
  progress: (line: string) => void;
  nodeOptions?: { NODE_OPTIONS: string };
}): Promise<Limited> {
  const { servers, workload, name, progress } = options;
  const run = await runPipeline(options);
  const sample = Math.ceil(workload.events.length * pureSqlShare);
  const pureSql = await runPureSql({ from: run, sample, progress });
  await servers.dropDatabase(name);
  return { run, pureSql };
}

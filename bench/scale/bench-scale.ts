import { spreadCells, spreadOf } from '../numbers.ts';
import { putTogether, type PartReport } from '../pipeline/report-parts.ts';
import { startBenchServers } from '../pipeline/servers.ts';
import { makeWorkload } from '../pipeline/workload.ts';
import type { Benchmark } from '../report.ts';
import { type Fold, makeInputs, type ReplicaRun, runReplicas, shareOfCore } from './replicas.ts';

const folds: readonly Fold[] = ['attribution', 'rewards'];
const counts = [1, 2, 3];
const mostEvents = 20_000;
const recipients = 300;

/**
 * How much more several processes of attribution, and of rewards, do than one. Each process is held
 * to a quarter of a core, so that the machine does not bound it.
 */
export const benchScale: Benchmark = async ({ events, rounds, progress }) => {
  progress('starting Kafka and Postgres');
  const servers = await startBenchServers();
  try {
    const some = Math.min(mostEvents, events);
    const workload = makeWorkload(some, new Date(), { referrers: recipients });
    const inputs = await makeInputs(servers, workload, progress);
    const runs: ReplicaRun[] = [];
    for (let round = 1; round <= rounds; round++) {
      for (const fold of folds) {
        for (const replicas of counts) {
          const name = `scale_${fold}_${round}_${replicas}`;
          const of = { servers, workload, fold, input: inputs[fold], replicas, name, progress };
          runs.push(await runReplicas(of));
        }
      }
    }
    return putTogether(
      'scale',
      folds.map((fold) => reportOf(runs.filter((run) => run.fold === fold))),
    );
  } finally {
    await servers.stop();
  }
};

/** @throws when two runs of the same events came to different results */
function reportOf(runs: readonly ReplicaRun[]): PartReport {
  const { fold } = runs[0]!;
  const results = new Set(runs.map(({ result }) => result));
  if (results.size > 1) throw new Error(`${fold}: runs came to ${[...results].join(' and ')}`);
  const of = (replicas: number) => runs.filter((run) => run.replicas === replicas);
  const rates = (replicas: number) => of(replicas).map(({ events, seconds }) => events / seconds);
  const one = rates(1);
  const scale = (replicas: number) => spreadOf(rates(replicas).map((rate, i) => rate / one[i]!));
  const waits = (replicas: number) => spreadOf(of(replicas).map((run) => 100 * lockShare(run)));
  const isHeld = runs.every(({ held }) => held);
  const heldTo = isHeld ? `${shareOfCore} of a core each` : 'not held to a share';
  return {
    targets: [
      { what: `${fold}, 2 replicas / 1`, measured: scale(2), wanted: '>= 1.8' },
      { what: `${fold}, 3 replicas / 1`, measured: scale(3), wanted: '>= 2.5' },
      {
        what: `${fold}, sessions at work that wait for a lock, 3 replicas, %`,
        measured: waits(3),
        wanted: '< 5',
      },
    ],
    spreads: Object.fromEntries(
      counts.map((replicas) => [
        `${fold}, ${replicas} replicas, events/s`,
        spreadOf(rates(replicas)),
      ]),
    ),
    details: { [fold]: runs },
    tables: [
      [
        [
          ...[`${fold}, ${recipients} referrers, ${heldTo}`, 'events/s', 'least..most'],
          ...['of a core each', 'lock waits %', 'at work'],
        ],
        ...counts.map((replicas) => {
          const shares = of(replicas).flatMap(({ cpuShares }) => cpuShares);
          const seen = of(replicas).reduce((all, { locks }) => all + locks.atWork, 0);
          return [
            replicas,
            ...spreadCells(spreadOf(rates(replicas))),
            `${Math.min(...shares).toFixed(2)}..${Math.max(...shares).toFixed(2)}`,
            waits(replicas).median.toFixed(1),
            seen,
          ];
        }),
      ],
    ],
    notes: [
      isHeld
        ? `${fold}: the kernel held each replica to ${shareOfCore} of a core until the end`
        : `${fold}: replicas share the cores freely, as this machine does not hold processes to a ` +
          'share of one (control groups): they compete, and the ratios say less than they seem to',
    ],
  };
}

function lockShare({ locks }: ReplicaRun): number {
  return locks.waiting / Math.max(1, locks.atWork);
}

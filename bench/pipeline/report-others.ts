import { spreadCells, spreadOf, sum } from '../numbers.ts';
import { type LateArrivals, lateRules } from './late-arrivals.ts';
import type { Rebuild } from './rebuild.ts';
import type { ReplicaRun, ReplicaRuns } from './replicas.ts';
import type { PartReport } from './report-parts.ts';

export function reportLateArrivals(late: readonly LateArrivals[]): PartReport {
  const ratios = Object.keys(lateRules).map((rule) => {
    const runs = late.filter((one) => one.rule === rule);
    const [small, large] = runs.toSorted((a, b) => a.perReferrer - b.perReferrer);
    const name = `${large!.perReferrer} late purchases / ${small!.perReferrer}, ${rule}`;
    return [name, large!.perEventUs / small!.perEventUs] as const;
  });
  return {
    ratios: Object.fromEntries(ratios),
    figures: Object.fromEntries(
      late.map((r) => [`${r.rule}, ${r.perReferrer} per referrer, µs per event`, r.perEventUs]),
    ),
    tables: [
      [
        ['late purchases in random order', 'per referrer', 'events', 'µs per event'],
        ...late.map((r) => [r.rule, r.perReferrer, r.events, r.perEventUs.toFixed(0)]),
      ],
    ],
  };
}

export function reportReplicas({ runs, quota, recipients }: ReplicaRuns): PartReport {
  const of = (replicas: number) => runs.filter((run) => run.replicas === replicas);
  const rates = (replicas: number) => of(replicas).map(({ events, seconds }) => events / seconds);
  const one = rates(1);
  const scale = (replicas: number) => spreadOf(rates(replicas).map((rate, i) => rate / one[i]!));
  const lockShare = ({ locks }: ReplicaRun) => locks.waiting / Math.max(1, locks.atWork);
  const counts = [...new Set(runs.map(({ replicas }) => replicas))];
  const most = counts.at(-1)!;
  const pinned = quota === undefined ? 'not pinned' : `${quota} of a core each`;
  return {
    targets: [
      { what: 'rewards, 2 replicas / 1', measured: scale(2), wanted: '>= 1.8' },
      { what: 'rewards, 3 replicas / 1', measured: scale(3), wanted: '>= 2.5' },
      {
        what: 'sessions at work that wait for a lock, 3 replicas, %',
        measured: spreadOf(of(most).map((run) => 100 * lockShare(run))),
        wanted: '< 5',
      },
    ],
    spreads: Object.fromEntries(
      counts.map((replicas) => [
        `rewards, ${replicas} replicas, events/s`,
        spreadOf(rates(replicas)),
      ]),
    ),
    details: { replicas: runs },
    tables: [
      [
        [
          ...[`rewards, ${recipients} referrers, ${pinned}`, 'events/s', 'least..most'],
          ...['of a core each', 'lock waits %', 'at work'],
        ],
        ...counts.map((replicas) => {
          const own = of(replicas);
          const shares = own.flatMap(({ cpuShares }) => cpuShares);
          const seen = own.reduce((all, { locks }) => all + locks.atWork, 0);
          return [
            replicas,
            ...spreadCells(spreadOf(rates(replicas))),
            `${Math.min(...shares).toFixed(2)}..${Math.max(...shares).toFixed(2)}`,
            spreadOf(own.map((run) => 100 * lockShare(run))).median.toFixed(1),
            seen,
          ];
        }),
      ],
    ],
    notes: [
      quota === undefined
        ? 'replicas share the cores freely: this machine does not hold processes to a share of one ' +
          '(control groups), so they compete for it, and the ratios say less than they seem to'
        : `each replica is held to ${quota} of a core by the kernel, and was until the end`,
    ],
  };
}

export function reportRebuild({ rebuilt, live, folded }: Rebuild): PartReport {
  const perEvent = (seconds: number) => Math.round((seconds * 1e6) / rebuilt.events);
  const rows = { 'rebuild into tables': rebuilt, 'fold in memory (verify, preview)': folded };
  return {
    targets: [
      {
        what: 'rebuild of a generation, events/s',
        measured: rebuilt.events / rebuilt.seconds,
        wanted: '>= 15000',
        digits: 0,
      },
    ],
    figures: {
      'fold in memory, events/s': folded.events / folded.seconds,
      'fold in memory, CPU µs per event': (folded.cpuSeconds * 1e6) / folded.events,
      'fold in memory, peak MiB of a process': folded.peakMiB,
    },
    tables: [
      [
        ['all of the log', 'events', 'seconds', 'events/s'],
        ...Object.entries(rows).map(([what, { events, seconds }]) => [
          ...[what, events, seconds.toFixed(1), Math.round(events / seconds)],
        ]),
      ],
      [
        ['live', 'events', 'p50 ms', 'p99 ms'],
        ...live.map(({ what, events, p50, p99 }) => [what, events, p50, p99]),
      ],
      [
        ['CPU of the rebuild, µs per event', ...Object.keys(rebuilt.cpuSeconds), 'in all'],
        [
          '',
          ...Object.values(rebuilt.cpuSeconds).map((seconds) => perEvent(seconds)),
          perEvent(sum(rebuilt.cpuSeconds)),
        ],
        ['peak MiB', ...Object.values(rebuilt.peakMiB).map((mib) => Math.round(mib)), '', '', ''],
      ],
    ],
    notes: [
      'live: 200 events a second, from the place on the log of an event to that of its decision',
      'the fold in memory includes starting its processes: `replay` has it for long histories',
    ],
  };
}

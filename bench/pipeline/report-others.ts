import { sum } from '../numbers.ts';
import { type LateArrivals, lateRules } from './late-arrivals.ts';
import type { Rebuild } from './rebuild.ts';
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

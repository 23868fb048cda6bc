import { spreadCells, spreadOf, sum } from '../numbers.ts';
import type { Spread } from '../report.ts';
import { isOutbox, sumOf } from './counters.ts';
import type { PartReport } from './report-parts.ts';
import { type Limited, rateOf, type Round } from './rounds.ts';
import type { PipelineRun } from './run-pipeline.ts';
import { bytesBySchema, type RelationBytes } from './table-bytes.ts';

const wholeOf = ({ run }: Limited) => run.events / run.rewardsSeconds;

export function reportRounds(rounds: readonly Round[], cores: number): PartReport {
  const spread = (of: (round: Round) => number) => spreadOf(rounds.map(of));
  const last = rounds.at(-1)!;
  const rates: Record<string, Spread> = {
    'attribution drained': spread(({ run }) => run.events / run.attributionSeconds),
    'rewards drained, the whole pipeline': spread(wholeOf),
    'one transaction per event': spread(({ oneByOne }) => rateOf(oneByOne)),
    'one transaction per event, ten at once': spread(({ tenAtOnce }) => rateOf(tenAtOnce)),
    'the same rows by pure SQL': spread(({ pureSql }) => rateOf(pureSql)),
    ...besideRates(rounds),
  };
  const isBeside = last.beside !== undefined;
  const limit = ({ pureSql, beside }: Round) => rateOf((beside ?? { pureSql }).pureSql);
  const costs = costsPerEvent(rounds.map(({ run }) => run));
  const peaks = Object.fromEntries(
    (['attribution', 'rewards'] as const).map((name) => [
      `most memory of ${name}, MiB`,
      spread(({ run }) => run.peakMiB[name]),
    ]),
  );
  return {
    targets: [
      {
        what: `pipeline / pure SQL writing ${isBeside ? "the other checkout's" : 'the same'} rows`,
        measured: spread((round) => wholeOf(round) / limit(round)),
        wanted: '>= 0.50, reach for 1.0',
      },
      {
        what: 'pipeline / one transaction per event',
        measured: spread((round) => wholeOf(round) / rateOf(round.oneByOne)),
        wanted: '>= 8',
      },
      {
        what: 'pipeline / one transaction per event, ten at once',
        measured: spread((round) => wholeOf(round) / rateOf(round.tenAtOnce)),
        wanted: '>= 4',
      },
    ],
    figures: Object.fromEntries(
      Object.entries(rates).map(([what, { median }]) => [`${what}, events/s`, median]),
    ),
    ratios: isBeside
      ? {
          'pipeline / pipeline of the other checkout': spread(
            (round) => wholeOf(round) / wholeOf(round.beside!),
          ).median,
        }
      : {},
    spreads: {
      ...Object.fromEntries(Object.entries(rates).map(([what, of]) => [`${what}, events/s`, of])),
      ...costs,
      ...peaks,
    },
    details: { outcome: last.run.outcome, relations: perEvent(last.run) },
    tables: [
      [
        [`events/s on ${cores} cores`, 'median', 'least..most', 'events in a round'],
        ...Object.entries(rates).map(([what, of]) => [
          ...[what, ...spreadCells(of), eventsOf(what, last)],
        ]),
      ],
      [
        ['per event', 'median', 'least..most'],
        ...Object.entries(costs).map(([what, of]) => [
          what,
          ...spreadCells(of, of.median < 100 ? 2 : 0),
        ]),
      ],
      [
        ['of one process', 'median', 'least..most'],
        ...Object.entries(peaks).map(([what, of]) => [what, ...spreadCells(of)]),
      ],
    ],
    notes: [
      `rows that an event leaves behind: ${(last.pureSql.rows / last.pureSql.events).toFixed(1)}`,
      `each round came to ${JSON.stringify(last.run.outcome)}`,
    ],
  };
}

function besideRates(rounds: readonly Round[]): Record<string, Spread> {
  if (!rounds[0]?.beside) return {};
  return {
    'the pipeline of the other checkout': spreadOf(rounds.map(({ beside }) => wholeOf(beside!))),
    'its rows by pure SQL': spreadOf(rounds.map(({ beside }) => rateOf(beside!.pureSql))),
  };
}

function eventsOf(what: string, { run, oneByOne, pureSql }: Round): number {
  if (what.startsWith('one transaction')) return oneByOne.events;
  return what.includes('pure SQL') ? pureSql.events : run.events;
}

function costsPerEvent(runs: readonly PipelineRun[]): Record<string, Spread> {
  const spread = (of: (run: PipelineRun) => number) =>
    spreadOf(runs.map((run) => of(run) / run.events));
  const rows = (isCounted: (table: string) => boolean) => (run: PipelineRun) =>
    [...run.rows].reduce((all, [table, counts]) => all + (isCounted(table) ? sumOf(counts) : 0), 0);
  const processes = ['attribution', 'rewards', 'postgres', 'kafka'] as const;
  const schemas = Object.keys(bytesBySchema(runs[0]!.relationBytes));
  const topics = Object.keys(runs[0]!.topicBytes) as (keyof PipelineRun['topicBytes'])[];
  return {
    ...Object.fromEntries(
      processes.map((name) => [
        `CPU of ${name}, µs`,
        spread(({ cpuSeconds }) => cpuSeconds[name] * 1e6),
      ]),
    ),
    'CPU in all, µs': spread(({ cpuSeconds }) => sum(cpuSeconds) * 1e6),
    'rows inserted, updated and deleted': spread(rows((table) => !isOutbox(table))),
    'rows of outboxes, inserted and deleted': spread(rows(isOutbox)),
    'WAL with full-page images, bytes': spread(({ walBytes }) => walBytes),
    ...Object.fromEntries(
      schemas.map((name) => [
        `tables and indexes of ${name}, bytes`,
        spread(({ relationBytes }) => bytesBySchema(relationBytes)[name] ?? 0),
      ]),
    ),
    ...Object.fromEntries(
      topics.map((name) => [`topic ${name}, bytes`, spread(({ topicBytes }) => topicBytes[name])]),
    ),
  };
}

function perEvent({ relationBytes, events }: PipelineRun) {
  return relationBytes.map((of: RelationBytes) => ({ ...of, bytesPerEvent: of.bytes / events }));
}

import { startBenchServers } from '../pipeline/servers.ts';
import { type Benchmark, median, percentile, type Report } from '../report.ts';
import { type FactTimes, measureFacts, perSecond, type Waits } from './measure-facts.ts';
import { type Fold, type Folds, measureFold } from './measure-fold.ts';
import { measureReceiving, type Received, type Receiver, receivers } from './measure-receiving.ts';

/**
 * What Stripe's events cost: to receive them, beside the usual way; from the webhook to the fact,
 * with what Stripe is asked; and folding all of them again, beside the same rows written by
 * Postgres alone.
 */
export const benchProcessor: Benchmark = async ({ progress, invoices, cpuProfiles }) => {
  progress('starting Kafka and Postgres');
  const servers = await startBenchServers();
  try {
    const run = { servers, progress, cpuProfiles };
    const parts = [
      receivingPart(await measureReceiving(run)),
      factsPart(await measureFacts(run)),
      foldPart(await measureFold(run, invoices), invoices),
    ];
    return {
      name: 'processor',
      figures: Object.assign({}, ...parts.map((part) => part.figures)) as Report['figures'],
      ratios: Object.assign({}, ...parts.map((part) => part.ratios)) as Report['ratios'],
      tables: parts.flatMap((part) => part.tables),
    };
  } finally {
    await servers.stop();
  }
};

type Part = Pick<Report, 'figures' | 'ratios' | 'tables'>;

function receivingPart(received: Map<Receiver, Received[]>): Part {
  const each = (receiver: Receiver, what: keyof Received) =>
    received.get(receiver)!.map((round) => round[what]);
  const of = (receiver: Receiver, what: keyof Received) => median(each(receiver, what));
  const ratio = (what: keyof Received) =>
    median(each('processor-events', what).map((value, n) => value / each('bare', what)[n]!));
  const whole = ['perSecond', 'underLoadUs', 'untilRestUs', 'postgresUs', 'kafkaUs'] as const;
  return {
    figures: Object.fromEntries(
      receivers.flatMap((one) => [
        [`${one}, events per second`, of(one, 'perSecond')],
        [`${one}, CPU µs per event`, of(one, 'underLoadUs')],
      ]),
    ),
    ratios: {
      'processor-events / bare, events/s': ratio('perSecond'),
      'processor-events / bare, CPU per event under load': ratio('underLoadUs'),
    },
    tables: [
      [
        ['on one core', 'events/s', 'CPU µs, load', 'to rest', 'postgres', 'kafka', 'p50', 'p99'],
        ...receivers.map((one) => [
          ...[one, ...whole.map((what) => Math.round(of(one, what)))],
          ...[of(one, 'p50Ms').toFixed(1), of(one, 'p99Ms').toFixed(1)],
        ]),
      ],
    ],
  };
}

function factsPart(facts: Awaited<ReturnType<typeof measureFacts>>): Part {
  const stages = { answeredMs: 'answered', onLogMs: 'on the log', factMs: 'fact' } as const;
  const asked = ({ asked, waits }: FactTimes) =>
    [...asked].map(([question, n]) => [question, n / waits.length] as const);
  const times = ({ waits }: FactTimes, what: keyof Waits) =>
    [50, 99].map((p) =>
      Math.round(
        percentile(
          waits.map((one) => one[what]),
          p,
        ),
      ),
    );
  const figures = [...facts].flatMap(([shape, one]) => [
    [`${shape} shape, webhook to fact p50 ms`, times(one, 'factMs')[0]!],
    [`${shape} shape, webhook to fact p99 ms`, times(one, 'factMs')[1]!],
    [`${shape} shape, requests per fact`, asked(one).reduce((sum, [, n]) => sum + n, 0)],
  ]);
  const ratios = [...facts].map(([shape, one]) => [
    `webhook to fact / webhook to log, p50, ${shape} shape`,
    times(one, 'factMs')[0]! / times(one, 'onLogMs')[0]!,
  ]);
  return {
    figures: Object.fromEntries(figures) as Part['figures'],
    ratios: Object.fromEntries(ratios) as Part['ratios'],
    tables: [
      [
        [`ms from the request, ${perSecond}/s`, 'p50', 'p99'],
        ...[...facts].flatMap(([shape, one]) =>
          (['answeredMs', 'onLogMs', 'factMs'] as const).map((what) => [
            ...[`${shape} shape, ${stages[what]}`, ...times(one, what)],
          ]),
        ),
      ],
      [
        ['requests at Stripe per fact', ''],
        ...[...facts].flatMap(([shape, one]) =>
          asked(one).map(([question, n]) => [`${shape} ${question}`, n.toFixed(3)]),
        ),
      ],
    ],
  };
}

function foldPart({ folds, bytes }: Folds, invoices: number): Part {
  const perEvent = (read: (fold: Fold) => number) => median(folds.map(read)) / invoices;
  const folded = Math.round(1 / perEvent(({ seconds }) => seconds));
  const walBytes = Math.round(perEvent((fold) => fold.walBytes));
  const cpuUs = (['processor-events', 'postgres', 'kafka'] as const).map((what) =>
    Math.round(perEvent((fold) => fold.cpuSeconds[what] * 1e6)),
  );
  const { rows } = folds[0]!.copy;
  const names = [...new Set([...Object.keys(rows), ...Object.keys(bytes)])];
  return {
    figures: { 'folded per second': folded, 'WAL bytes per event': walBytes },
    ratios: {
      'folded / same rows copied, events/s': median(folds.map((f) => f.copy.seconds / f.seconds)),
      'folded / same rows copied, WAL': median(folds.map((f) => f.walBytes / f.copy.walBytes)),
    },
    tables: [
      [
        [`${invoices} invoices`, 'events/s', 'WAL bytes', 'CPU µs', 'postgres', 'kafka'],
        ['folded', folded, walBytes, ...cpuUs],
        [
          ...['same rows copied', Math.round(1 / perEvent(({ copy }) => copy.seconds))],
          ...[Math.round(perEvent(({ copy }) => copy.walBytes)), '', '', ''],
        ],
      ],
      [
        ['per invoice', 'rows', 'bytes'],
        ...names.map((name) => [
          ...[name, ((rows[name] ?? 0) / invoices).toFixed(2)],
          Math.round((bytes[name] ?? 0) / invoices),
        ]),
      ],
    ],
  };
}

import { stations } from '../ingest/hop-times.ts';
import { sum } from '../numbers.ts';
import type { PartReport } from './report-parts.ts';
import { transactionsBySchema, transactionsIn, type WalCosts } from './wal-costs.ts';
import type { WholeSystem } from './whole-system.ts';

export function reportSystem(whole: WholeSystem): PartReport {
  const { latency, atRate, inAll } = whole;
  const n = (total: number) => total / inAll.events;
  const tables = new Map<string, number>();
  for (const { schema, bytes } of inAll.relations) {
    tables.set(schema, (tables.get(schema) ?? 0) + bytes);
  }
  const postgres = [...tables.values()].reduce((all, bytes) => all + bytes, 0);
  const kafka = sum(inAll.topics);
  const wal = inAll.wal.bytes + inAll.wal.imageBytes;
  const folds = transactionsIn(atRate.wal, /^(attribution|rewards)_g|^issuance$/);
  const transactions = transactionsBySchema(atRate.wal);
  const ms = (value: number) => value.toFixed(0);
  return {
    targets: [
      bytes('Postgres, all services', n(postgres), '<= 6000'),
      bytes('WAL, full-page images included', n(wal), '<= 12000'),
      bytes('Kafka', n(kafka), '<= 1500'),
      time('p50', latency.p50Ms, '<= 100'),
      time('p99', latency.p99Ms, '<= 250, reach for 150'),
      {
        what: 'transactions of the two folds that wrote, per event at 200/s',
        measured: folds / atRate.events,
        wanted: '<= 0.3',
      },
    ],
    details: {
      hops: latency.hops,
      'whole system, transactions by schema at 200/s': transactions,
      'whole system, tables and indexes': inAll.relations,
      'whole system, topics': inAll.topics,
      'whole system, most memory, MiB': whole.peakMiB,
    },
    tables: [
      [
        ['202 to webhook at 200/s', 'hop p50 ms', 'hop p99 ms', 'since 202 p50', 'since 202 p99'],
        ...latency.hops.map(({ station, hop, sinceAccepted }) => [
          ...[station, ms(hop.p50Ms), ms(hop.p99Ms)],
          ...[ms(sinceAccepted.p50Ms), ms(sinceAccepted.p99Ms)],
        ]),
      ],
      [
        ['at 200/s, per event', 'transactions that wrote', 'WAL bytes'],
        ...Object.entries(transactions).map(([schema, count]) => [
          schema,
          (count / atRate.events).toFixed(3),
          (walOf(atRate.wal, schema) / atRate.events).toFixed(0),
        ]),
      ],
      [
        [`all services, ${inAll.events} events`, 'bytes per event'],
        ...[...tables].map(([schema, total]) => [`tables of ${schema}`, n(total).toFixed(0)]),
        ...Object.entries(inAll.topics).map(([topic, total]) => [topic, n(total).toFixed(0)]),
        ['WAL', n(inAll.wal.bytes).toFixed(0)],
        ['full-page images in the WAL', n(inAll.wal.imageBytes).toFixed(0)],
      ],
      [
        ['most memory that a service held', 'MiB'],
        ...Object.entries(whole.peakMiB).map(([service, mib]) => [service, String(mib)]),
      ],
    ],
    notes: [
      `${latency.count} purchases at 200/s; each ${stations.join(', ')}. A record is on the log ` +
        'before its 202 is sent, so that hop is below zero',
    ],
  };
}

const bytes = (what: string, measured: number, wanted: string) => ({
  ...{ what: `bytes per event in all: ${what}`, measured, wanted, digits: 0 },
});
const time = (what: string, measured: number, wanted: string) => ({
  ...{ what: `202 to webhook at 200/s, ${what}, ms`, measured, wanted, digits: 0 },
});

function walOf({ relations }: WalCosts, schema: string): number {
  return relations
    .filter(({ name }) => name.startsWith(`${schema}.`))
    .reduce((all, relation) => all + relation.bytes, 0);
}

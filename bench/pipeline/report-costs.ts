import { sum } from '../numbers.ts';
import type { Costs } from './cost-meter.ts';
import { isOutbox, type RowCounts } from './counters.ts';
import { instructionsMissing } from './instructions.ts';
import type { PartReport } from './report-parts.ts';
import type { PipelineRun } from './run-pipeline.ts';
import type { StatementCost } from './statement-costs.ts';

const statementsShown = 25;

/** What all events of the run cost the two folds. */
function totalsOf(run: PipelineRun, { statements, ownTransactions, wal, instructions }: Costs) {
  const rows = (key: keyof RowCounts, inOutboxes: boolean) =>
    [...run.rows].reduce(
      (all, [table, counts]) => all + (isOutbox(table) === inOutboxes ? counts[key] : 0),
      0,
    );
  const calls = (isControl: boolean) =>
    statements.reduce((all, one) => all + (one.isControl === isControl ? one.calls : 0), 0);
  const insertions = (inOutboxes: boolean) =>
    wal.relations.reduce((all, relation) => {
      const isCounted = relation.isIndex && isOutbox(relation.name) === inOutboxes;
      return all + (isCounted ? relation.insertions : 0);
    }, 0);
  return {
    'rows inserted': rows('inserted', false),
    'rows updated': rows('updated', false),
    'rows deleted': rows('deleted', false),
    'rows of outboxes inserted': rows('inserted', true),
    'rows of outboxes deleted': rows('deleted', true),
    'index insertions': insertions(false),
    'index insertions of outboxes': insertions(true),
    'WAL bytes without full-page images': wal.bytes,
    'WAL bytes of full-page images': wal.imageBytes,
    statements: calls(false),
    'begin, commit and the like': calls(true),
    transactions: run.transactions - ownTransactions,
    'transactions that wrote': wal.commits,
    ...Object.fromEntries(
      Object.entries(instructions).map(([name, total]) => [`instructions of ${name}`, total]),
    ),
  };
}

type Counted = { run: PipelineRun; costs: Costs };

/**
 * The same per event, with the tables and statements that it is made of; and of another checkout,
 * where there is one, its tables.
 */
export function reportCosts({ run, costs }: Counted, beside?: Counted): PartReport {
  const { events } = run;
  const { statements, wal, instructions } = costs;
  const totals = totalsOf(run, costs);
  const n = (total: number) => total / events;
  const figures = Object.entries(totals).map(([what, total]) => [what, n(total)] as const);
  const missing = instructionsMissing();
  return {
    targets: [
      {
        what: 'rows written per event in the two folds',
        measured: n(totals['rows inserted'] + totals['rows updated'] + totals['rows deleted']),
        wanted: '<= 4, outboxes included',
      },
      {
        what: 'the same in outboxes',
        measured: n(totals['rows of outboxes inserted'] + totals['rows of outboxes deleted']),
        wanted: '',
      },
      {
        what: 'index insertions per event in the two folds',
        measured: n(totals['index insertions'] + totals['index insertions of outboxes']),
        wanted: '<= 12',
      },
      {
        what: 'WAL bytes per event in the two folds',
        measured: n(wal.bytes),
        wanted: '<= 4500',
        digits: 0,
      },
    ],
    figures: Object.fromEntries(figures.map(([what, value]) => [`${what} per event`, value])),
    details: {
      statements: statements.map((one) => perEvent(one, events)),
      'wal by relation': wal.relations,
    },
    tables: [
      [
        [`per event, of ${events}`, ''],
        ...figures.map(([what, value]) => [what, value.toFixed(value < 100 ? 2 : 0)]),
        ...(missing === undefined
          ? [['instructions in all', n(sum(instructions)).toFixed(0)]]
          : []),
      ],
      relationTable('by table and index', { run, costs }),
      statementTable(statements, events),
      ...(beside ? besideTables(beside) : []),
    ],
    notes: [
      'rows are counted by Postgres (pg_stat_user_tables), start of the processes included; index ' +
        'insertions and WAL record by record (pg_walinspect); statements by pg_stat_statements',
      ...(missing === undefined ? [] : [`instructions are left out: ${missing}`]),
    ],
  };
}

function besideTables(counted: Counted): string[][][] {
  const { events } = counted.run;
  const totals = Object.entries(totalsOf(counted.run, counted.costs));
  return [
    [
      [`the other checkout, per event, of ${events}`, ''],
      ...totals.map(([what, total]) => [what, (total / events).toFixed(2)]),
    ],
    relationTable('the other checkout, by table and index', counted),
  ];
}

function relationTable(title: string, { run, costs }: Counted) {
  const { rows, relationBytes, events } = run;
  const { wal } = costs;
  const n = (total = 0) => (total / events).toFixed(total / events < 10 ? 2 : 0);
  const written = new Map(wal.relations.map((relation) => [relation.name, relation]));
  return [
    [title, 'inserted', 'updated', 'deleted', 'entries', 'WAL bytes', 'bytes on disk'],
    ...relationBytes
      .map(({ schema, table, index, bytes }) => {
        const of = written.get(`${schema}.${index ?? table}`);
        const counts = index === null ? rows.get(`${schema}.${table}`) : undefined;
        const cells = counts
          ? [n(counts.inserted), n(counts.updated), n(counts.deleted), '']
          : ['', '', '', n(of?.insertions)];
        const name = index === null ? `${schema}.${table}` : `  ${index}`;
        return { bytes: bytes + (of?.bytes ?? 0), row: [name, ...cells, n(of?.bytes), n(bytes)] };
      })
      .filter(({ bytes }) => bytes / events >= 1)
      .map(({ row }) => row),
  ];
}

function statementTable(statements: readonly StatementCost[], events: number) {
  return [
    ['by statement', 'µs', 'calls', 'rows', 'WAL bytes'],
    ...statements.slice(0, statementsShown).map((one) => {
      const { us, calls, rows, walBytes } = perEvent(one, events);
      const cells = [us.toFixed(1), calls.toFixed(3), rows.toFixed(2), walBytes.toFixed(0)];
      return [one.statement.slice(0, 72), ...cells];
    }),
  ];
}

function perEvent({ statement, calls, ms, rows, walBytes }: StatementCost, events: number) {
  return {
    statement,
    us: (ms * 1_000) / events,
    calls: calls / events,
    rows: rows / events,
    walBytes: walBytes / events,
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { connectionOf } from '../../test-faults/processor/connections.ts';
import type { World } from '../../test-faults/processor/world.ts';
import { cpuSeconds } from '../process-cpu.ts';
import { relationBytes } from '../webhooks/relation-bytes.ts';
import { appendAll, openWorld, type Run, stopped } from './bench-world.ts';
import { bodyOf, idsOf, invoiceTemplate, knownCustomers, receivedOf } from './paid-invoices.ts';

const rounds = 3;
const invoicesPerCustomer = 10;

export type Fold = {
  /** From the first applied record until the last fact is on the topic `events`. */
  seconds: number;
  /** The process counts from its start, the servers during the measurement. */
  cpuSeconds: Record<'processor-events' | 'postgres' | 'kafka', number>;
  walBytes: number;
  /** The same rows, copied by one statement per table. */
  copy: Copy;
};
type Copy = { seconds: number; walBytes: number; rows: Record<string, number> };

/** Bytes after the last fold, of tables and topics. */
export type Folds = { folds: Fold[]; bytes: Record<string, number> };

/**
 * Invoices of known customers are on the log; the schema is dropped and folded again, some times.
 */
export async function measureFold(run: Run, invoices: number): Promise<Folds> {
  const { servers, progress } = run;
  const connection = connectionOf('t-fold', { shape: 'old' });
  const world = await openWorld(run, 'fold', [connection]);
  try {
    const customers = Math.ceil(invoices / invoicesPerCustomer);
    const template = invoiceTemplate();
    const reported = Array.from({ length: invoices }, (_, n) =>
      receivedOf(connection, bodyOf(template, idsOf(n, customers))),
    );
    await appendAll(world, [...knownCustomers(connection, customers), ...reported]);
    const folds: Fold[] = [];
    for (let round = 1; round <= rounds; round++) {
      const fold = await foldOnce(run, world, invoices);
      folds.push({ ...fold, copy: await copyRows(world.db) });
      const rate = Math.round(invoices / fold.seconds);
      progress(`round ${round}/${rounds}: ${rate} events folded/s`);
    }
    const bytesOf = (topic: 'processor' | 'events') =>
      servers.topicBytes(world.topics.nameOf(topic));
    const bytes = {
      ...(await relationBytes(world.db, ['processor'])),
      'topic processor': await bytesOf('processor'),
      // Each fold sends its facts again.
      'topic events': (await bytesOf('events')) / rounds,
    };
    return { folds, bytes };
  } finally {
    await world.stop();
  }
}

async function foldOnce(
  { servers }: Run,
  world: World,
  invoices: number,
): Promise<Omit<Fold, 'copy'>> {
  const { db } = world;
  await db.query('drop schema if exists processor cascade');
  await db.query('checkpoint');
  const factsBefore = await world.countOf('events');
  const [before, walBefore] = [servers.cpuSeconds(), await walAt(db)];
  const processor = await world.start();
  const begun = 'select 1 from processor.projection_position where next_offset > 0';
  const startedAt = await untilTrue(async () => {
    return (await db.query(begun).catch(() => undefined))?.rowCount;
  });
  const allMade = async () => (await world.countOf('events')) - factsBefore >= invoices;
  const seconds = ((await untilTrue(allMade)) - startedAt) / 1_000;
  await world.atRest();
  const [after, walAfter] = [servers.cpuSeconds(), await walAt(db)];
  const used = {
    'processor-events': cpuSeconds(processor.pid),
    postgres: after.postgres - before.postgres,
    kafka: after.kafka - before.kafka,
  };
  await stopped(processor);
  return { seconds, cpuSeconds: used, walBytes: walAfter - walBefore };
}

async function untilTrue(isSo: () => Promise<unknown>): Promise<number> {
  for (const deadline = performance.now() + 300_000; ; await delay(20)) {
    if (await isSo()) return performance.now();
    if (performance.now() > deadline) throw new Error('the fold does not come to its end');
  }
}

async function walAt(db: pg.Pool): Promise<number> {
  const sql = `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as bytes`;
  return Number((await db.query<{ bytes: string }>(sql)).rows[0]!.bytes);
}

/**
 * The limit: all rows that the fold left behind, into twins with the same indexes, inside Postgres.
 */
async function copyRows(db: pg.Pool): Promise<Copy> {
  const { rows: tables } = await db.query<{ name: string }>(
    `select tablename as name from pg_tables
     where schemaname = 'processor' and tablename !~ 'migration' order by 1`,
  );
  await db.query('create schema twin');
  for (const { name } of tables) {
    await db.query(`create table twin.${name} (like processor.${name} including all)`);
  }
  const rows: Record<string, number> = {};
  const [startedAt, walBefore] = [performance.now(), await walAt(db)];
  for (const { name } of tables) {
    const sql = `insert into twin.${name} overriding system value select * from processor.${name}`;
    const { rowCount } = await db.query(sql);
    if (rowCount) rows[name] = rowCount;
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const walBytes = (await walAt(db)) - walBefore;
  await db.query('drop schema twin cascade');
  return { seconds, walBytes, rows };
}

import pg from 'pg';
import { ArrayClient } from './array-parameters.ts';
import type { Component, Gauges } from './component.ts';
import type { Logger } from './logger.ts';
import { connectionConfig } from './postgres-connection.ts';
import type { PostgresSettings } from './variables.ts';

/** A connection inside a transaction; first argument of every statement function. */
export type Tx = pg.PoolClient;

/**
 * How long a process that stopped inside a transaction keeps its locks from others: then the server
 * ends its session. A statement that runs is not idle. Who waits for something else inside of a
 * transaction says for how long at most, by {@link allowIdle}.
 */
export const idleInTransactionLimitMs = 5_000;

/** For the rest of this transaction. */
export async function allowIdle(tx: Pick<Tx, 'query'>, ms: number): Promise<void> {
  await tx.query(`set local idle_in_transaction_session_timeout = ${Math.trunc(ms)}`);
}

/**
 * A pool whose connections resolve unqualified names in `searchPath` (default: the schema of the
 * settings). SQL names no schema, so the same code runs for any generation. `bigint` and `numeric`
 * stay strings, as pg gives them: nothing is rounded on the way.
 */
export function createPool(
  settings: PostgresSettings,
  options: {
    searchPath?: string[];
    applicationName: string;
    logger: Logger;
    /** Less than {@link idleInTransactionLimitMs}. */
    idleInTransactionMs?: number;
  },
): pg.Pool {
  const { searchPath = [settings.schema], applicationName, logger } = options;
  const { idleInTransactionMs = idleInTransactionLimitMs } = options;
  const pool = new pg.Pool({
    Client: ArrayClient,
    ...connectionConfig(settings, { searchPath, applicationName }),
    max: settings.poolSize,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    // The server gives up on a statement; the client, a little later, on a server that is gone.
    statement_timeout: 30_000,
    query_timeout: 35_000,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    keepAlive: true,
    // Statements are sent without waiting for the answers of those before; see inOneTurn.
    pipeline: true,
  });
  // An idle connection that breaks is replaced by the pool; without a listener it ends the process.
  pool.on('error', (error) => logger.warn('idle postgres connection lost', { error }));
  return pool;
}

/**
 * Runs `fn` in one read committed transaction: commits what it returns, rolls back what it throws.
 * It throws also where a statement failed and `fn` did not mind: nothing of it is committed then.
 * When the connection breaks during `commit`, nobody knows whether it happened; callers write so
 * that doing it again changes nothing.
 */
export async function inTransaction<T>(pool: pg.Pool, fn: (tx: Tx) => Promise<T>): Promise<T> {
  const tx = await pool.connect();
  // While it is checked out nobody else listens; the failing query reports the same error.
  const ignoreError = () => undefined;
  tx.on('error', ignoreError);
  let broken = false;
  const afterwards: AfterCommit[] = [];
  toDoAfterCommit.set(tx, afterwards);
  const atTheEnd: AtTheEnd[] = [];
  toDoAtTheEnd.set(tx, atTheEnd);
  let ended: TransactionEnd = 'unknown';
  try {
    await tx.query('begin isolation level read committed');
    const result = await fn(tx);
    // A transaction in which a statement failed ends by a rollback, without an error.
    const { command } = await tx.query('commit');
    if (command !== 'COMMIT') throw new Error(aborted);
    ended = 'committed';
    for (const act of afterwards) act(pool);
    return result;
  } catch (error) {
    broken = !(await rollBack(tx));
    if (!broken) ended = 'rolled-back';
    throw error;
  } finally {
    toDoAfterCommit.delete(tx);
    toDoAtTheEnd.delete(tx);
    for (const act of atTheEnd) act(ended);
    tx.off('error', ignoreError);
    tx.release(broken);
  }
}

/** What all statements of `read` see is what was committed when its first one began. */
export function inOneSnapshot<T>(pool: pg.Pool, read: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(pool, async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    return read(tx);
  });
}

/**
 * Statements of a transaction that do not need each other's answers, in one turn: the server gets
 * them together and runs them one after the other, in the order in which they were begun, each
 * seeing what those before it have done. While a machine is busy, turns are what a small
 * transaction takes its time for.
 *
 * Settles when all of them have, so that nothing of a transaction goes on when it is given up; the
 * first that failed is thrown, and what follows a failed statement fails too.
 */
export async function inOneTurn<T extends readonly unknown[]>(
  statements: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const settled = await Promise.allSettled(statements);
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as never;
}

const aborted = 'the transaction was rolled back: a statement in it failed';

/** Must not throw. The pool is the one whose connection the transaction had. */
type AfterCommit = (pool: pg.Pool) => void;
const toDoAfterCommit = new WeakMap<Tx, AfterCommit[]>();

/**
 * Called at once when the server has acknowledged the commit of this transaction, before
 * {@link inTransaction} resolves. Never after a rollback, nor when nobody knows whether the commit
 * happened; nor in a transaction that was begun otherwise. So it is for what something else makes
 * up for.
 */
export function afterCommit(tx: Tx, act: AfterCommit): void {
  toDoAfterCommit.get(tx)?.push(act);
}

/** As far as this process knows it: a connection may break during the commit. */
export type TransactionEnd = 'committed' | 'rolled-back' | 'unknown';
/** Must not throw. */
type AtTheEnd = (end: TransactionEnd) => void;
const toDoAtTheEnd = new WeakMap<Tx, AtTheEnd[]>();

/**
 * Called once, when this transaction of {@link inTransaction} is over, with how it ended. In a
 * transaction that was begun otherwise it refuses: what waits for the end would wait for ever.
 */
export function whenOver(tx: Tx, act: AtTheEnd): void {
  const acts = toDoAtTheEnd.get(tx);
  if (!acts) throw new Error('nobody will tell how this transaction ends');
  acts.push(act);
}

/** A pool as a part of a process; it is healthy while the database answers. */
export function poolComponent(pool: pg.Pool, name = 'postgres'): Component {
  return {
    stop: () => pool.end(),
    gauges: poolGauges(name, () => pool),
    async health() {
      await pool.query('select 1');
      return { ok: true };
    },
  };
}

/** @param pool may throw where there is none now */
export function poolGauges(name: string, pool: () => pg.Pool): Gauges {
  return {
    tributary_postgres_pool_connections: {
      help: 'Open connections of this process by pool and state.',
      labels: ['pool', 'state'],
      read() {
        const { idleCount, totalCount } = pool();
        return [
          { labels: { pool: name, state: 'idle' }, value: idleCount },
          { labels: { pool: name, state: 'in-use' }, value: totalCount - idleCount },
        ];
      },
    },
    tributary_postgres_pool_waiting: {
      help: 'Requests of this process that wait for a connection, by pool.',
      labels: ['pool'],
      read: () => [{ labels: { pool: name }, value: pool().waitingCount }],
    },
  };
}

/** Says whether the connection is fit for another transaction. */
async function rollBack(tx: Tx): Promise<boolean> {
  try {
    await tx.query('rollback');
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether the same statement may succeed later without another release: the server or the way to it
 * failed, another transaction was in the way, or a right lacks. Looks along `cause`.
 */
export function isTransientPostgresError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && (transientState.test(code) || transientNetwork.test(code))) {
    return true;
  }
  // What pg itself raises has no code.
  if (transientMessage.test(error.message)) return true;
  if (error instanceof AggregateError) return error.errors.some(isTransientPostgresError);
  return isTransientPostgresError(error.cause);
}

/**
 * 08 connection, 40 serialization and deadlock, 53 resources, 55P03 lock timeout, 57014 statement
 * timeout, 57P0x shutdown and start-up, 58 the server's file system, 25P03 idle for too long in a
 * transaction (this process was paused), 25006 a server that has become a standby, 42501, 28P01 and
 * 28000 a right or a password that an administrator has to mend: no record is to blame for it.
 */
const transientState =
  /^(08...|40...|53...|55P03|57014|57P0.|58...|25P03|25006|42501|28P01|28000)$/;
const transientNetwork = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/;
const transientMessage =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|timeout expired/i;

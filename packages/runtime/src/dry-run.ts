import type pg from 'pg';
import type { Logger } from './logger.ts';
import type { Tx } from './postgres.ts';

/**
 * What fails in a dry run leaves nothing behind, so it must wake nobody either: errors are
 * warnings.
 */
export function createDryRunLogger(logger: Logger): Logger {
  const child = logger.child({ dryRun: true });
  return { ...child, error: child.warn };
}

/**
 * Runs `fn` in a transaction that is rolled back whatever happens: its rows, its notifications and
 * its locks are gone when this resolves. Only what Postgres never rolls back stays: numbers taken
 * from sequences.
 *
 * It takes the locks that `fn` takes, so that it sees what the real work would see; three time
 * limits keep it from standing in the way of that work. A lock that does not come in time, a
 * statement that takes too long, or too many of them in all, is an error that
 * `isTransientPostgresError` knows. After the last of these the connection is closed instead of
 * rolled back, since `fn` goes on and a rollback would let its next statement stand by itself; the
 * server lets go of the locks at the end of the statement that is under way.
 */
export async function inDryRun<T>(
  pool: pg.Pool,
  limits: { lockTimeoutMs: number; statementTimeoutMs: number; totalTimeoutMs?: number },
  fn: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { lockTimeoutMs, statementTimeoutMs, totalTimeoutMs = 5_000 } = limits;
  const tx = await pool.connect();
  // While it is checked out nobody else listens; the failing query reports the same error.
  const ignoreError = () => undefined;
  tx.on('error', ignoreError);
  let broken = true;
  let abandoned = false;
  try {
    await tx.query('begin isolation level read committed');
    await tx.query(`set local lock_timeout = ${Math.trunc(lockTimeoutMs)}`);
    await tx.query(`set local statement_timeout = ${Math.trunc(statementTimeoutMs)}`);
    try {
      return await withinTime(fn(tx), totalTimeoutMs);
    } catch (error) {
      abandoned = error instanceof DryRunTooLong;
      throw error;
    } finally {
      if (!abandoned) {
        await tx.query('rollback');
        broken = false;
      }
    }
  } finally {
    if (!abandoned) tx.off('error', ignoreError);
    tx.release(broken);
  }
}

async function withinTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DryRunTooLong(ms)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** With the code of a statement that took too long: it may be tried again, like one. */
class DryRunTooLong extends Error {
  readonly code = '57014';
  constructor(ms: number) {
    super(`a dry run took longer than ${ms} ms`);
  }
}

import type { Logger } from '@tributary/runtime/logger';
import { inTransaction, type Tx } from '@tributary/runtime/postgres';
import { createRepeater, type Repeater } from '@tributary/runtime/repeater';
import type pg from 'pg';
import { lockTenants } from './adapters/postgres/advisory-locks.ts';
import { readDueUndecided } from './adapters/postgres/decisions.ts';
import {
  absorbEqual,
  advanceRefold,
  readPage,
  removeRefold,
  takeRefold,
} from './adapters/postgres/refolds.ts';
import type { DecideFacts } from './decide-facts.ts';
import type { Fact } from './domain/fact.ts';
import { lockUsersOf } from './lock-users.ts';

/**
 * Decides again, in small transactions, what others had to leave: facts that a campaign revision
 * touched, or too many facts of one code or business key, and users whose fold threw. Work is rows
 * in a table, so nothing is lost when a process dies; a row is held by one sweeper at a time, and
 * its cursor commits with the page. For the locks see apply-events.ts.
 */
export type Sweeper = Repeater & { sweep(): Promise<void> };

const pageFacts = 200;
const undecidedAtOnce = 50;

export function createSweeper(options: {
  pool: pg.Pool;
  logger: Logger;
  decideFacts: DecideFacts;
  everyMs?: number;
}): Sweeper {
  const { pool, logger, decideFacts, everyMs = 1_000 } = options;

  /** Says whether there may be more. */
  async function refoldPage(tx: Tx): Promise<boolean> {
    let refold = await takeRefold(tx);
    if (!refold) return false;
    await lockTenants(tx, 'shared', [refold.tenantId]);
    if (await absorbEqual(tx, refold)) refold = { ...refold, afterEventId: '' };
    const { facts, next } = await readPage(tx, refold, pageFacts);
    await decideAgain(tx, facts);
    if (next) await advanceRefold(tx, refold.refoldId, next);
    else await removeRefold(tx, refold.refoldId);
    return true;
  }

  async function retryUndecided(tx: Tx): Promise<boolean> {
    const facts = await readDueUndecided(tx, undecidedAtOnce);
    await lockTenants(
      tx,
      'shared',
      facts.map(({ event }) => event.tenantId),
    );
    await decideAgain(tx, facts);
    return facts.length === undecidedAtOnce;
  }

  async function decideAgain(tx: Tx, facts: readonly Fact[]): Promise<void> {
    if (facts.length === 0) return;
    await lockUsersOf(tx, facts);
    await decideFacts(tx, facts);
  }

  async function drain(step: (tx: Tx) => Promise<boolean>, stopping: () => boolean): Promise<void> {
    while (!stopping() && (await inTransaction(pool, step)));
  }

  async function sweep(stopping: () => boolean): Promise<void> {
    try {
      await drain(refoldPage, stopping);
      await drain(retryUndecided, stopping);
    } catch (error) {
      logger.warn('the sweeper could not finish; it tries again', { error });
    }
  }

  const repeater = createRepeater({ everyMs, work: sweep });
  return { ...repeater, sweep: () => sweep(() => false) };
}

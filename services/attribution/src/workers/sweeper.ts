import type { Logger } from '@tributary/runtime/logger';
import { inTransaction, type Tx } from '@tributary/runtime/postgres';
import { createRepeater, type Repeater } from '@tributary/runtime/repeater';
import type pg from 'pg';
import { lockTenants } from '../db/advisory-locks.ts';
import { readDueUndecided } from '../db/decisions.ts';
import { readFactsOfUsers } from '../db/facts.ts';
import {
  absorbEqual,
  advanceRefold,
  type Cursor,
  readPage,
  readUsersPage,
  removeRefold,
  type TakenRefold,
  takeOtherUsers,
  takeRefold,
  type Whose,
} from '../db/refolds.ts';
import type { DecideFacts } from '../fold/decide-facts.ts';
import type { Fact } from '@tributary/attribution-fold/fact';
import { type Limits, usualLimits } from '../fold/limits.ts';
import { lockUsersOf } from '../db/lock-users.ts';
import { withRefunds } from '../db/read-invoices.ts';

/**
 * Decides again, in small transactions, what others had to leave: facts that a campaign revision or
 * a tenant's mode touched, too many facts of one code or business key, facts that depend on a user
 * who was not locked, and users whose fold threw. Work is rows in a table, so nothing is lost when
 * a process dies; a row is held by one sweeper at a time, and its cursor commits with the page.
 * Rows take turns, a page each, and one that fails goes behind all others, so neither the millions
 * of one tenant nor a page that cannot be done keep others waiting. For the locks see
 * apply-events.ts.
 */
export type Sweeper = Pick<Repeater, 'start' | 'wake' | 'stop'> & {
  sweep(): Promise<void>;
  /** One page in the caller's transaction; says whether there may be more. */
  refoldPage(tx: Tx, whose: Whose): Promise<boolean>;
};

const undecidedAtOnce = 50;

export function createSweeper(options: {
  pool: pg.Pool;
  logger: Logger;
  decideFacts: DecideFacts;
  everyMs?: number;
  limits?: Limits;
}): Sweeper {
  const { pool, logger, decideFacts, everyMs = 1_000, limits = usualLimits } = options;
  const { pageFacts, pageUsers } = limits;

  /** Says whether there may be more. */
  async function refoldPage(
    tx: Tx,
    whose: Whose,
    onTaken: (refold: TakenRefold) => void = () => undefined,
  ): Promise<boolean> {
    const refold = await takeRefold(tx, whose);
    if (!refold) return false;
    onTaken(refold);
    await lockTenants(tx, 'shared', [refold.tenantId]);
    await absorbEqual(tx, refold, whose);
    const next = await refoldOnce(tx, refold, whose);
    if (next) await advanceRefold(tx, refold.refoldId, next);
    else await removeRefold(tx, refold.refoldId);
    return true;
  }

  async function refoldOnce(
    tx: Tx,
    refold: TakenRefold,
    whose: Whose,
  ): Promise<Cursor | undefined> {
    if (refold.scope === 'tenant') {
      const { users: sumUp, next } = await readUsersPage(tx, refold, pageUsers);
      const users = await lockUsersOf(tx, { facts: [], others: sumUp });
      await decideFacts(tx, { facts: [], users, sumUp });
      return next;
    }
    if (refold.scope === 'user') {
      return decideUsers(tx, { ...refold, scope: refold.scope }, whose);
    }
    const { facts, next } = await readPage(tx, { ...refold, scope: refold.scope }, pageFacts);
    await decideAgain(tx, facts, refold.scope !== 'claim');
    return next;
  }

  /**
   * Summed up with the first page, whatever the number of facts; all pages are decided by that.
   * Other users whose facts fit a page go along, decided at once. The facts are read again under
   * the locks: one that came in between was decided by what held before.
   */
  async function decideUsers(
    tx: Tx,
    refold: TakenRefold & { scope: 'user' },
    whose: Whose,
  ): Promise<Cursor | undefined> {
    const user = { tenantId: refold.tenantId, newUserId: refold.subject };
    const begins = refold.afterEventId === '';
    const others = begins
      ? await takeOtherUsers(tx, refold, { limit: pageUsers, maxFacts: pageFacts, whose })
      : [];
    const readAll = async () => {
      const { facts, next } = await readPage(tx, refold, pageFacts);
      const ofOthers = others.length > 0 ? await readFactsOfUsers(tx, others, undefined) : [];
      return { facts: [...facts, ...ofOthers], next };
    };
    const seen = await readAll();
    const users = await lockUsersOf(tx, {
      facts: await withRefunds(tx, seen.facts),
      others: [user, ...others],
    });
    const { facts, next } = await readAll();
    const sumUp = begins ? [user, ...others] : [];
    await decideFacts(tx, { facts, users, sumUp, sumOnly: true });
    return next;
  }

  async function retryUndecided(tx: Tx): Promise<boolean> {
    const facts = await readDueUndecided(tx, undecidedAtOnce);
    await lockTenants(
      tx,
      'shared',
      facts.map(({ event }) => event.tenantId),
    );
    await decideAgain(tx, facts, true);
    return facts.length === undecidedAtOnce;
  }

  async function decideAgain(tx: Tx, facts: readonly Fact[], recheck: boolean): Promise<void> {
    if (facts.length === 0) return;
    const users = await lockUsersOf(tx, { facts: await withRefunds(tx, facts) });
    await decideFacts(tx, { facts, users, recheck });
  }

  async function refoldNext(): Promise<boolean> {
    let taken: TakenRefold | undefined;
    try {
      return await inTransaction(pool, (tx) => refoldPage(tx, 'any', (refold) => (taken = refold)));
    } catch (error) {
      const failed = taken;
      if (failed) await inTransaction(pool, (tx) => advanceRefold(tx, failed.refoldId, failed));
      throw error;
    }
  }

  async function drain(step: () => Promise<boolean>, stopping: () => boolean): Promise<void> {
    try {
      while (!stopping() && (await step())) continue;
    } catch (error) {
      logger.warn('the sweeper could not finish; it tries again', { error });
    }
  }

  const refold = (stopping: () => boolean) => drain(refoldNext, stopping);
  const retry = (stopping: () => boolean) =>
    drain(() => inTransaction(pool, retryUndecided), stopping);
  // Each by itself: there may always be something to refold.
  const repeaters = [refold, retry].map((work) => createRepeater({ everyMs, work }));

  return {
    start: () => repeaters.forEach((repeater) => repeater.start()),
    wake: () => repeaters.forEach((repeater) => repeater.wake()),
    stop: async () => void (await Promise.all(repeaters.map((repeater) => repeater.stop()))),
    async sweep() {
      await refold(() => false);
      await retry(() => false);
    },
    refoldPage: (tx, whose) => refoldPage(tx, whose),
  };
}

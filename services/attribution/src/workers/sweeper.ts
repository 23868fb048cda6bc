import type { Logger } from '@tributary/runtime/logger';
import { inTransaction, type Tx } from '@tributary/runtime/postgres';
import { createRepeater, type Repeater } from '@tributary/runtime/repeater';
import type pg from 'pg';
import { lockTenants } from '../db/advisory-locks.ts';
import { readDueUndecided } from '../db/decisions.ts';
import { readFactsOfUsers } from '../db/facts.ts';
import {
  absorbEqual,
  advanceRecomputeJob,
  type Cursor,
  readPage,
  readUsersPage,
  removeRecomputeJob,
  type TakenRecomputeJob,
  takeOtherUsers,
  takeRecomputeJob,
  type Whose,
} from '../db/recompute-jobs.ts';
import type { DecideFacts } from '../fold/decide-facts.ts';
import type { Fact } from '@tributary/attribution-fold/fact';
import { type Limits, usualLimits } from '../fold/batch-limits.ts';
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
  recomputePage(tx: Tx, whose: Whose): Promise<boolean>;
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
  async function recomputePage(
    tx: Tx,
    whose: Whose,
    onTaken: (job: TakenRecomputeJob) => void = () => undefined,
  ): Promise<boolean> {
    const job = await takeRecomputeJob(tx, whose);
    if (!job) return false;
    onTaken(job);
    await lockTenants(tx, 'shared', [job.tenantId]);
    await absorbEqual(tx, job, whose);
    const next = await recomputeOnce(tx, job, whose);
    if (next) await advanceRecomputeJob(tx, job.refoldId, next);
    else await removeRecomputeJob(tx, job.refoldId);
    return true;
  }

  async function recomputeOnce(
    tx: Tx,
    job: TakenRecomputeJob,
    whose: Whose,
  ): Promise<Cursor | undefined> {
    if (job.scope === 'tenant') {
      const { users: sumUp, next } = await readUsersPage(tx, job, pageUsers);
      const users = await lockUsersOf(tx, { facts: [], others: sumUp });
      await decideFacts(tx, { facts: [], users, sumUp });
      return next;
    }
    if (job.scope === 'user') {
      return decideUsers(tx, { ...job, scope: job.scope }, whose);
    }
    const { facts, next } = await readPage(tx, { ...job, scope: job.scope }, pageFacts);
    await decideAgain(tx, facts, job.scope !== 'claim');
    return next;
  }

  /**
   * Summed up with the first page, whatever the number of facts; all pages are decided by that.
   * Other users whose facts fit a page go along, decided at once. The facts are read again under
   * the locks: one that came in between was decided by what held before.
   */
  async function decideUsers(
    tx: Tx,
    job: TakenRecomputeJob & { scope: 'user' },
    whose: Whose,
  ): Promise<Cursor | undefined> {
    const user = { tenantId: job.tenantId, newUserId: job.subject };
    const begins = job.afterEventId === '';
    const others = begins
      ? await takeOtherUsers(tx, job, { limit: pageUsers, maxFacts: pageFacts, whose })
      : [];
    const readAll = async () => {
      const { facts, next } = await readPage(tx, job, pageFacts);
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

  async function recomputeNext(): Promise<boolean> {
    let taken: TakenRecomputeJob | undefined;
    try {
      return await inTransaction(pool, (tx) => recomputePage(tx, 'any', (job) => (taken = job)));
    } catch (error) {
      const failed = taken;
      if (failed)
        await inTransaction(pool, (tx) => advanceRecomputeJob(tx, failed.refoldId, failed));
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

  const job = (stopping: () => boolean) => drain(recomputeNext, stopping);
  const retry = (stopping: () => boolean) =>
    drain(() => inTransaction(pool, retryUndecided), stopping);
  // Each by itself: there may always be something to recompute.
  const repeaters = [job, retry].map((work) => createRepeater({ everyMs, work }));

  return {
    start: () => repeaters.forEach((repeater) => repeater.start()),
    wake: () => repeaters.forEach((repeater) => repeater.wake()),
    stop: async () => void (await Promise.all(repeaters.map((repeater) => repeater.stop()))),
    async sweep() {
      await job(() => false);
      await retry(() => false);
    },
    recomputePage: (tx, whose) => recomputePage(tx, whose),
  };
}

import type { Logger } from '@tributary/runtime/logger';
import { inTransaction, isTransientPostgresError } from '@tributary/runtime/postgres';
import type pg from 'pg';
import { type DueAmong, findDueRecipients, postponeRelease } from '../db/recipients.ts';
import type { RecipientKey } from '@tributary/rewards-fold/entitlement';
import type { TimeOf } from '../db/clock-check.ts';
import type { ReleaseDue, ReleaseOutcome } from './release-due.ts';

/**
 * A release that fails must concern one recipient only. A batch that fails for another reason than
 * the state of the database is therefore repeated recipient by recipient, each in a transaction of
 * its own; the one that fails again is postponed, longer each time, and the others go on.
 *
 * @throws when the database cannot be used now: nobody is to blame, the caller waits.
 */
export function createIsolatedRelease(options: {
  pool: pg.Pool;
  logger: Logger;
  timeOf: TimeOf;
  releaseDue: ReleaseDue;
}): (among?: DueAmong) => Promise<ReleaseOutcome> {
  const { pool, logger, timeOf, releaseDue } = options;

  async function releaseEach(among?: DueAmong): Promise<ReleaseOutcome> {
    const due = await inTransaction(pool, async (tx) => {
      const { now } = await timeOf(tx);
      return findDueRecipients(tx, now, { ...among, limit: recipientsAtOnce });
    });
    const hasMore = due.length >= recipientsAtOnce;
    const total = { recipients: 0, rewards: 0, issuances: 0, hasMore };
    for (const recipient of due) {
      const result = await releaseOne(recipient);
      if (result.outcome === 'not-live' || result.outcome === 'clocks-differ') return result;
      if (result.outcome === 'nothing-due') continue;
      total.recipients += result.recipients;
      total.rewards += result.rewards;
      total.issuances += result.issuances;
      total.hasMore ||= result.hasMore;
    }
    return { outcome: 'released', ...total };
  }

  async function releaseOne(recipient: RecipientKey): Promise<ReleaseOutcome> {
    try {
      return await inTransaction(pool, (tx) => releaseDue(tx, { only: [recipient] }));
    } catch (error) {
      if (isTransientPostgresError(error)) throw error;
      const { tenantId } = recipient;
      logger.error('alert: the release of a recipient failed; it is postponed', {
        tenantId,
        error,
      });
      await inTransaction(pool, (tx) => postponeRelease(tx, recipient));
      return { outcome: 'nothing-due' };
    }
  }

  return async function release(among) {
    try {
      return await inTransaction(pool, (tx) => releaseDue(tx, { among }));
    } catch (error) {
      if (isTransientPostgresError(error)) throw error;
      logger.warn('a release failed; its recipients are tried one by one', { error });
      return releaseEach(among);
    }
  };
}

/** As many as a batch may have had, and those that others may have taken from it. */
const recipientsAtOnce = 200;

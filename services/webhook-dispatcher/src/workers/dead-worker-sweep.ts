import { recordKey } from '@tributary/contracts/topics';
import type { CatchUp } from '@tributary/event-log/catch-up';
import type { Logger } from '@tributary/runtime/logger';
import { createRepeater } from '@tributary/runtime/repeater';
import { inTransaction } from '@tributary/runtime/postgres';
import type pg from 'pg';
import { notifyDue } from '../db/notify-due.ts';
import { type DeliveryName, freeDeadWorkers } from '../db/release-claims.ts';
import { findDeadWorkers, insertMissingWorkers } from '../db/worker-rows.ts';

/**
 * Frees what dead processes held. Every process looks; whoever comes first does it.
 *
 * What a dead process sent may be on the log and not in the table (it died between the two), so
 * freeing waits until everything that was on the log when the death was noticed has been applied,
 * by whichever process reads it. Only then is a claim of the dead one a delivery without a recorded
 * result, and sending it again is the best there is. A claim whose partition was not read,
 * as it is stopped, stays what it is until somebody has read that; it is looked at again when
 * another partition than before is stopped, or none.
 */
export type DeadWorkerSweep = { start(): void; stop(): Promise<void> };

export function createDeadWorkerSweep(options: {
  pool: pg.Pool;
  logger: Logger;
  /** A new question on each call: has everything been applied that is on the log by now? */
  createCatchUp: () => CatchUp;
  deliveriesTopic: string;
  everyMs: number;
  /** How long a worker may live whose row is not there any more. */
  leaseMs: number;
  onFreed: (claims: number) => void;
}): DeadWorkerSweep {
  const { pool, logger, createCatchUp, deliveriesTopic, everyMs, leaseMs, onFreed } = options;
  let hasLookedForMissing = false;
  let noticed: { workerIds: string[]; isAllKept: boolean; caughtUp: CatchUp } | undefined;
  let keptBecause: string | undefined;

  async function look(): Promise<void> {
    if (!hasLookedForMissing) await insertMissingWorkers(pool, leaseMs);
    hasLookedForMissing = true;
    noticed ??= await notice();
    if (!noticed || !(await noticed.caughtUp())) return;
    const { workerIds, isAllKept, caughtUp } = noticed;
    noticed = undefined;
    // To look for what they hold is to look at all that is pending.
    const because = JSON.stringify([workerIds, caughtUp.unread()]);
    if (isAllKept && because === keptBecause) return;
    const isUnread = ({ tenantId, webhookEventId }: DeliveryName) =>
      caughtUp.isUnread(deliveriesTopic, recordKey(tenantId, webhookEventId));
    const freed = await inTransaction(pool, async (tx) => {
      const { workers, claims } = await freeDeadWorkers(tx, workerIds, isUnread);
      if (claims > 0) await notifyDue(tx);
      return { workers, claims };
    });
    keptBecause = because;
    if (freed.workers === 0) return;
    logger.warn('freed what dead workers held', freed);
    onFreed(freed.claims);
  }

  async function notice() {
    const dead = await findDeadWorkers(pool);
    if (dead.length === 0) return undefined;
    return {
      workerIds: dead.map(({ workerId }) => workerId),
      isAllKept: dead.every(({ takesRoom }) => !takesRoom),
      caughtUp: createCatchUp(),
    };
  }

  return createRepeater({
    everyMs,
    work: look,
    onFailure: (error) => logger.warn('cannot look for dead workers; trying again', { error }),
  });
}

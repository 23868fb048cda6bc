import type { DeliveryExpiryRecord } from '@tributary/contracts/delivery-record';
import { deliverySchemaVersion } from '@tributary/contracts/delivery-record';
import type { Appender } from '@tributary/event-log/appender';
import type { Logger } from '@tributary/runtime/logger';
import { inTransaction } from '@tributary/runtime/postgres';
import { createRepeater } from '@tributary/runtime/repeater';
import type pg from 'pg';
import { appendFacts } from '../log/append-facts.ts';
import { restoreFacts } from '../log/restore-facts.ts';
import { deleteOldAttempts } from '../db/delete-old-attempts.ts';
import { findOverdue } from '../db/find-overdue.ts';
import { deleteForgotten, markForgotten } from '../db/forget-deliveries.ts';
import type { DispatcherMetrics } from '../metrics.ts';

/**
 * What has to be done beside the sending, by any number of processes at once:
 *
 *   expiry     what nobody may send now ends with its horizon (design 8): recorded on the log first,
 *              then written. Two that tell it, or an attempt that is made meanwhile, are joined
 *              like all facts: delivered stays delivered.
 *   retention  attempts older than some days go, and all of deliveries that were delivered longer
 *              ago than is kept, in small transactions.
 */
export type Maintenance = {
  /**
   * Not before the log was read to its end: what it says of a delivery may be more than we know.
   */
  start(): void;
  /** One round, for whoever cannot wait; says how many were ended. */
  expireOverdue(): Promise<number>;
  deleteOldAttempts(): Promise<number>;
  forgetDeliveries(): Promise<number>;
  stop(): Promise<void>;
};

export type MaintenanceSettings = {
  horizonMs: number;
  expireEveryMs: number;
  attemptDays: number;
  deliveryDays: number;
  retentionEveryMs: number;
};

const expiredAtOnce = 500;
const deletedAtOnce = 5_000;
const forgottenAtOnce = 1_000;

export function createUpkeep(options: {
  pool: pg.Pool;
  logger: Logger;
  appender: Pick<Appender, 'append'>;
  /** Name on the broker. */
  deliveriesTopic: string;
  metrics: Pick<DispatcherMetrics, 'expired' | 'attemptsDeleted' | 'forgotten'>;
  /** Whether the log has been read to its end, now: a database may fall back under this process. */
  isCaughtUp: () => boolean;
  settings: MaintenanceSettings;
}): Maintenance {
  const { pool, logger, appender, deliveriesTopic, metrics, isCaughtUp, settings } = options;
  let stopping = false;

  async function expireSome(): Promise<number> {
    const { horizonMs } = settings;
    const overdue = await findOverdue(pool, { horizonMs, limit: expiredAtOnce });
    if (overdue.length === 0) return 0;
    const facts = overdue.map(({ now, ...delivery }): DeliveryExpiryRecord => ({
      schemaVersion: deliverySchemaVersion,
      type: 'expired',
      ...delivery,
      at: now.toISOString(),
    }));
    await appendFacts(appender, deliveriesTopic, facts);
    await inTransaction(pool, (tx) => restoreFacts(tx, facts));
    metrics.expired.inc(facts.length);
    return facts.length;
  }

  async function deleteSome(): Promise<number> {
    const limit = deletedAtOnce;
    const deleted = await inTransaction(pool, (tx) =>
      deleteOldAttempts(tx, { days: settings.attemptDays, limit }),
    );
    metrics.attemptsDeleted.inc(deleted);
    return deleted;
  }

  /** What is unread may be a resend, of which the note would be all that is left. */
  async function forgetSome(): Promise<number> {
    if (!isCaughtUp()) return 0;
    const asked = { days: settings.deliveryDays, limit: forgottenAtOnce };
    const ids = await inTransaction(pool, (tx) => markForgotten(tx, asked));
    if (ids.length === 0) return 0;
    metrics.forgotten.inc(await inTransaction(pool, (tx) => deleteForgotten(tx, ids)));
    return ids.length;
  }

  async function expireOverdue(): Promise<number> {
    const expired = await drain(expireSome, expiredAtOnce);
    if (expired > 0) {
      logger.warn('deliveries ended with their horizon; nothing could be sent', {
        deliveries: expired,
      });
    }
    return expired;
  }

  async function drain(step: () => Promise<number>, atOnce: number): Promise<number> {
    let sum = 0;
    for (;;) {
      const found = await step();
      sum += found;
      if (found < atOnce || stopping) return sum;
    }
  }

  const jobs = [
    repeat('expiry', settings.expireEveryMs, expireOverdue),
    repeat('retention', settings.retentionEveryMs, () => drain(deleteSome, deletedAtOnce)),
    repeat('forgetting', settings.retentionEveryMs, () => drain(forgetSome, forgottenAtOnce)),
  ];

  function repeat(job: string, everyMs: number, work: () => Promise<unknown>) {
    return createRepeater({
      everyMs,
      work: async () => void (await work()),
      onFailure: (error) => {
        logger.warn('a maintenance job failed; trying again later', { job, error });
      },
    });
  }

  return {
    start() {
      for (const job of jobs) job.start();
    },
    expireOverdue,
    deleteOldAttempts: () => drain(deleteSome, deletedAtOnce),
    forgetDeliveries: () => drain(forgetSome, forgottenAtOnce),
    async stop() {
      stopping = true;
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}

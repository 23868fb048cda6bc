import { countLimit } from '@tributary/contracts/admin/answer-fields';
import {
  deliverySchemaVersion,
  type DeliveryResendRecord,
} from '@tributary/contracts/delivery-record';
import type { Appender } from '@tributary/event-log/appender';
import { inTransaction } from '@tributary/runtime/postgres';
import type pg from 'pg';
import { appendFacts } from '../log/append-facts.ts';
import { type Restored, restoreFacts } from '../log/restore-facts.ts';
import type { NamedDelivery } from '../db/find-overdue.ts';
import {
  countExhausted,
  countResendable,
  findExhausted,
  findResendable,
  findToResend,
  type Period,
  readNow,
  type ResendFilter,
} from '../db/find-to-resend.ts';
import { isForgotten } from '../db/forget-deliveries.ts';
import { makeDue } from '../db/make-due.ts';
import { findRecorded } from '../db/resends.ts';
import type { DeliveryState } from '../domain/known-outcome.ts';
import type { DispatcherMetrics } from '../metrics.ts';

/**
 * An operator asks for deliveries anew. Of a finished one this opens the next round, which has the
 * whole schedule and horizon: recorded on the log first, then written. Nothing is locked in
 * between: whoever asks at the same time names the same round, and two facts of one round make one.
 *
 * A pending one needs no round; it is due now.
 */
export type Asked = { by: string; note?: string };

export type Resent = {
  webhookEventId: string;
  state: DeliveryState;
  round: number;
  attempts: number;
};

export type ResendDeliveries = {
  /** `too-old`: it was delivered so long ago that it is not kept, or will not be in a moment. */
  one(
    tenantId: string,
    webhookEventId: string,
    asked: Asked,
  ): Promise<Resent | 'too-old' | undefined>;
  /** Those exhausted in the period, the first finished first, at most `limit`. */
  exhausted(
    tenantId: string,
    period: Period,
    limit: number,
    asked: Asked,
  ): Promise<{ recovered: number; remaining: number }>;
  /** What matches now, at most {@link countLimit}, with its credits. */
  count(
    tenantId: string,
    filter: ResendFilter,
  ): Promise<{ count: number; credits: string; more: boolean; asOf: string }>;
  /**
   * What was counted, at most `limit` at once, each only once however often it is asked for.
   * `more-than-seen`: nothing was done, since more matches.
   */
  many(
    tenantId: string,
    filter: ResendFilter,
    seen: { count: number; asOf: string },
    about: Asked & { limit: number },
  ): Promise<{ resent: number; more: boolean } | 'more-than-seen'>;
};

export function createResendDeliveries(options: {
  pool: pg.Pool;
  appender: Pick<Appender, 'append'>;
  /** Name on the broker. */
  deliveriesTopic: string;
  metrics: Pick<DispatcherMetrics, 'resent'>;
  /** How long a delivery is kept after it was delivered. */
  deliveryDays: number;
}): ResendDeliveries {
  const { pool, appender, deliveriesTopic, metrics, deliveryDays } = options;

  async function openRounds(
    deliveries: readonly (NamedDelivery & { now: Date })[],
    asked: Asked,
  ): Promise<{ written: Restored[]; opened: number }> {
    const facts = deliveries.map((delivery) => factOf(delivery, asked));
    await appendFacts(appender, deliveriesTopic, facts);
    const { written, recorded } = await inTransaction(pool, async (tx) => {
      const recorded = await findRecorded(tx, facts);
      return { recorded, written: await restoreFacts(tx, facts) };
    });
    // Not those that somebody else has opened a moment before.
    const opened = written.filter(
      ({ webhookEventId, before, after }) =>
        after.round > before.round || recorded.has(webhookEventId),
    ).length;
    metrics.resent.inc(opened);
    return { written, opened };
  }

  return {
    async one(tenantId, webhookEventId, asked) {
      for (;;) {
        const delivery = await findToResend(pool, tenantId, webhookEventId, { deliveryDays });
        if (!delivery) {
          return (await isForgotten(pool, tenantId, webhookEventId)) ? 'too-old' : undefined;
        }
        const { state, now, round, attempts, tooOld } = delivery;
        if (tooOld) return 'too-old';
        if (state !== 'pending') {
          const { written } = await openRounds([{ ...delivery, now }], asked);
          const { after } = written[0]!;
          const { state: became } = after;
          return { webhookEventId, state: became, round: after.round, attempts: after.attempts };
        }
        const due = await inTransaction(pool, (tx) => makeDue(tx, [webhookEventId]));
        if (due > 0) return { webhookEventId, state, round, attempts };
        // It was finished at this very moment, so there is something to ask for anew.
      }
    },

    async exhausted(tenantId, period, limit, asked) {
      const found = await findExhausted(pool, tenantId, period, limit);
      const recovered = found.length > 0 ? (await openRounds(found, asked)).opened : 0;
      const remaining = await countExhausted(pool, tenantId, period);
      return { recovered, remaining };
    },

    async count(tenantId, filter) {
      const asOf = await readNow(pool);
      const about = { tenantId, filter, asOf, deliveryDays };
      const { count, credits } = await countResendable(pool, about, countLimit + 1);
      const all = { credits, more: count > countLimit, asOf: asOf.toISOString() };
      return { count: Math.min(count, countLimit), ...all };
    },

    async many(tenantId, filter, seen, { limit, ...asked }) {
      const about = { tenantId, filter, asOf: new Date(seen.asOf), deliveryDays };
      const { count } = await countResendable(pool, about, countLimit + 1);
      if (count > seen.count) return 'more-than-seen';
      const found = await findResendable(pool, about, limit);
      if (filter.state === 'pending') {
        const ids = found.map(({ webhookEventId }) => webhookEventId);
        await inTransaction(pool, (tx) => makeDue(tx, ids));
      } else if (found.length > 0) await openRounds(found, asked);
      return { resent: found.length, more: count > found.length };
    },
  };
}

function factOf(
  { webhookEventId, tenantId, issuanceId, round, attempts, now }: NamedDelivery & { now: Date },
  { by, note }: Asked,
): DeliveryResendRecord {
  return {
    schemaVersion: deliverySchemaVersion,
    type: 'resent',
    tenantId,
    webhookEventId,
    issuanceId,
    round: round + 1,
    attempts,
    by,
    ...(note !== undefined && { note }),
    at: now.toISOString(),
  };
}

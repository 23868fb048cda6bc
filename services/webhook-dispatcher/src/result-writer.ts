import { setTimeout as delay } from 'node:timers/promises';
import { deliveryCodec } from '@tributary/contracts/delivery-record';
import { recordKey } from '@tributary/contracts/topics';
import { enqueue } from '@tributary/event-log/outbox';
import type { Logger } from '@tributary/runtime/logger';
import { inTransaction } from '@tributary/runtime/postgres';
import type pg from 'pg';
import { insertAttempts } from './adapters/postgres/insert-attempts.ts';
import { lockDeliveries } from './adapters/postgres/lock-deliveries.ts';
import { recordResults, type Result } from './adapters/postgres/record-results.ts';
import { deliveryFact } from './domain/delivery-fact.ts';
import type { Judgement } from './domain/outcome.ts';

/**
 * Writes results in batches: whatever has come in while the last transaction ran goes into the
 * next. Row, attempt and fact commit together, and only under the lease of the claim: whose lease
 * is gone has been overtaken, and the other process tells the story.
 *
 * When the database is away, results wait here and are tried again. A lease that ends meanwhile
 * makes a second attempt with the same event id and bytes, which receivers drop (6.1 rule 4).
 */
export type AttemptResult = Result & {
  judgement: Judgement;
  startedAt: Date;
  durationMs: number;
};

export type ResultWriter = {
  /** Resolves when the result is written or was overtaken. Never rejects. */
  write(result: AttemptResult): Promise<void>;
};

const maxBatch = 200;
const gatherMs = 15;

export function createResultWriter(options: {
  pool: pg.Pool;
  logger: Logger;
  /** Name on the broker. */
  deliveriesTopic: string;
  horizonMs: number;
}): ResultWriter {
  const { pool, logger, deliveriesTopic, horizonMs } = options;
  const queue: { result: AttemptResult; done: () => void }[] = [];
  let flushing = false;

  async function flush(): Promise<void> {
    if (flushing) return;
    flushing = true;
    // Answers come in one by one; a transaction serves those of some milliseconds.
    await delay(gatherMs);
    while (queue.length > 0) {
      const batch = queue.slice(0, maxBatch);
      try {
        await writeBatch(batch.map(({ result }) => result));
        queue.splice(0, batch.length);
        for (const { done } of batch) done();
      } catch (error) {
        logger.error('attempt results cannot be written; trying again', {
          results: queue.length,
          error,
        });
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    }
    flushing = false;
  }

  async function writeBatch(results: readonly AttemptResult[]): Promise<void> {
    const overtaken = await inTransaction(pool, async (tx) => {
      await lockDeliveries(
        tx,
        results.map((r) => r.claim.webhookEventId),
      );
      const recorded = await recordResults(tx, results, horizonMs);
      const after = new Map(recorded.map((row) => [attemptName(row), row]));
      const facts = results.flatMap((result) => {
        const row = after.get(attemptName(result.claim));
        return row ? [deliveryFact({ ...result, ...result.claim }, row)] : [];
      });
      await insertAttempts(tx, facts);
      await enqueue(
        tx,
        facts.map((fact) => ({
          topic: deliveriesTopic,
          key: recordKey(fact.tenantId, fact.webhookEventId),
          value: deliveryCodec.encode(fact),
        })),
      );
      return results.filter((result) => !after.has(attemptName(result.claim)));
    });
    for (const { claim, judgement } of overtaken) {
      logger.warn('the lease was lost before the result was written', {
        webhookEventId: claim.webhookEventId,
        attempt: claim.attempt,
        delivered: judgement.delivered,
      });
    }
  }

  return {
    write(result) {
      return new Promise((resolve) => {
        queue.push({ result, done: resolve });
        void flush();
      });
    },
  };
}

/** An old lease and its successor may report in one batch; only one of them is the story. */
function attemptName({ webhookEventId, leaseId }: { webhookEventId: string; leaseId: string }) {
  return `${webhookEventId}/${leaseId}`;
}

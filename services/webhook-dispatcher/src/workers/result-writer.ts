import { setTimeout as delay } from 'node:timers/promises';
import type { DeliveryRecord } from '@tributary/contracts/delivery-record';
import type { Appender } from '@tributary/event-log/appender';
import type { Logger } from '@tributary/runtime/logger';
import {
  inOneTurn,
  inTransaction,
  isTransientPostgresError,
  type Tx,
} from '@tributary/runtime/postgres';
import type pg from 'pg';
import { entryOf } from '../log/append-facts.ts';
import { type Claim, requestIdOf } from '../db/claim-deliveries.ts';
import {
  type EndpointHealth,
  lockEndpointHealth,
  recordEndpointHealth,
} from '../db/endpoint-health.ts';
import { insertAttempts } from '../db/insert-attempts.ts';
import { planByKey } from '../db/plan-by-key.ts';
import { lockDeliveries, recordResults } from '../db/record-results.ts';
import type { BreakerSettings } from '../domain/breaker.ts';
import type { AttemptEnd } from '../domain/delivery-fact.ts';
import type { Answer, Evaluation } from '../domain/outcome.ts';
import { healthAfterAttempt } from './health-after-attempt.ts';
import type { Observe } from '../test-hooks.ts';
import { type Sorted, sortOut } from './sort-results.ts';
import { createWrittenFacts } from './written-facts.ts';

/**
 * Tells what came of an attempt: first the log, then Postgres.
 *
 *   answered ──fact appended, acknowledged──▶ told ──in a batch──▶ written: the slot is free
 *
 * The order is what makes a delivery that was recorded stay delivered: Postgres never knows of an
 * attempt that the log does not, so dropped, restored or failed over, it learns everything again
 * from there (docs/decisions/0011). A process that dies in between has told; the projection writes.
 *
 * While the brokers or the database do not answer, results wait here and the worker claims no more.
 * Its lease goes on meanwhile, so nobody else sends the same.
 *
 * A batch holds rows of deliveries first, then rows of endpoints (the order of locks is in the
 * migration). By then a row may be
 * - claimed by us, one attempt behind: the result is written;
 * - where the result would bring it, or beyond: the projection was faster, nothing is left to do;
 * - somebody else's: our lease had ended. Ours is recorded on the log all the same, and the
 *   projection makes of it what is right; `overtaken` does so at once.
 * In each case the exchange was real, so its attempt is logged and the breaker hears of it.
 */
export type AttemptResult = {
  claim: Claim;
  fact: DeliveryRecord;
  end: AttemptEnd;
  evaluation: Evaluation;
  answer?: Answer;
  endedAt: Date;
};

export type ResultWriter = {
  /**
   * Resolves to whether the result was written, by us or by the projection. Rejects only with a
   * fact that breaks its contract.
   */
  write(result: AttemptResult): Promise<boolean>;
  /**
   * Resolves when none of these deliveries has a result on its way here, or after a moment. For the
   * reader of our own facts: what it finds written it need not write.
   */
  written(webhookEventIds: readonly string[]): Promise<void>;
  /** Whether this very fact was written here; said once. */
  takeWritten(fact: DeliveryRecord): boolean;
  /**
   * Gives up, after a grace period, what the servers do not take; the log or the lease sees to it.
   */
  giveUpAfter(graceMs: number): void;
};

type Ended = Pick<Sorted, 'freed' | 'lost'> & {
  health: { nowMs: number; endpoints: readonly EndpointHealth[] };
};

const maxBatch = 500;
const gatherMs = 10;
const retryMs = 250;
/** How long a reader of our facts is kept waiting for what we are about to write. */
const patienceMs = 500;

export function createResultWriter(options: {
  pool: pg.Pool;
  logger: Logger;
  appender: Pick<Appender, 'append'>;
  /** Name on the broker. */
  deliveriesTopic: string;
  breaker: BreakerSettings;
  /** Claims that are over, and whose results are not being written yet; see the worker. */
  endedExchanges?: Set<Claim>;
  /** There is something to claim, and room for it: asked in the transaction that gives it back. */
  claimMore?: (tx: Tx) => Promise<void>;
  /** Brings rows to what these facts say, as the projection does; the rows are locked. */
  overtaken: (tx: Tx, facts: readonly DeliveryRecord[]) => Promise<void>;
  observe?: Observe | undefined;
}): ResultWriter {
  const { pool, logger, appender, deliveriesTopic, breaker, overtaken, observe } = options;
  const { endedExchanges, claimMore } = options;
  const queue: { result: AttemptResult; settle: (written: boolean) => void }[] = [];
  const onTheirWay = new Map<string, Promise<boolean>>();
  const writtenFacts = createWrittenFacts();
  let turn: Promise<void> | undefined;
  let flushing = false;
  let batchSize = maxBatch;
  /** Batches that failed, in a row. */
  let failures = 0;
  let giveUpAtMs = Infinity;

  const isOver = () => performance.now() >= giveUpAtMs;

  /**
   * Answers come in one by one; those of some milliseconds go to the log, and then on, together.
   */
  function nextTurn(): Promise<void> {
    turn ??= delay(gatherMs).then(() => {
      turn = undefined;
    });
    return turn;
  }

  /** False when it was given up. */
  async function tell({ claim, fact }: AttemptResult): Promise<boolean> {
    const entry = entryOf(deliveriesTopic, fact);
    for (let failures = 0; ;) {
      try {
        await appender.append([entry]);
        return true;
      } catch (error) {
        failures += 1;
        if (isOver()) {
          logger.error('a result is not on the log at the end; its lease runs out', {
            webhookEventId: fact.webhookEventId,
            attempt: fact.attempt,
            ...requestIdOf(claim),
            error: (error as Error).message,
          });
          return false;
        }
        if (failures === 1) {
          logger.warn('the log does not take a result; trying again', {
            error: (error as Error).message,
          });
        }
        await delay(Math.min(retryMs * failures, 2_000));
      }
    }
  }

  async function flush(): Promise<void> {
    if (flushing) return;
    flushing = true;
    // What was acknowledged together is written together.
    await delay(0);
    while (queue.length > 0) {
      const batch = queue.slice(0, batchSize);
      const written = await tryBatch(batch.map(({ result }) => result));
      if (written === undefined) continue;
      queue.splice(0, batch.length);
      for (const { settle } of batch) settle(written);
    }
    flushing = false;
  }

  /** Whether it was written; undefined: to be tried again. */
  async function tryBatch(results: readonly AttemptResult[]): Promise<boolean | undefined> {
    try {
      for (const { claim } of results) endedExchanges?.delete(claim);
      const recorded = await inTransaction(pool, (tx) => writeBatch(tx, results));
      for (const { fact } of recorded) writtenFacts.add(fact);
      batchSize = Math.min(maxBatch, batchSize * 2);
      failures = 0;
      return true;
    } catch (error) {
      if (isOver()) return false;
      const transient = isTransientPostgresError(error);
      failures += 1;
      const about = { waiting: queue.length, failures, error };
      if (!transient) logger.error('results cannot be written; trying again', about);
      else if (failures === 1) logger.warn('results cannot be written now; they wait', about);
      // One result that no table takes must not hold up the others; the log has it in any case.
      if (!transient && results.length === 1) {
        failures = 0;
        return false;
      }
      if (!transient) batchSize = Math.max(1, Math.floor(results.length / 4));
      await delay(Math.min(retryMs * failures, 2_000));
      return undefined;
    }
  }

  /** Says of which deliveries the row is now as its result told. */
  async function writeBatch(
    tx: Tx,
    results: readonly AttemptResult[],
  ): Promise<readonly AttemptResult[]> {
    const ids = results.map(({ claim }) => claim.webhookEventId);
    const [, locked] = await inOneTurn([planByKey(tx), lockDeliveries(tx, ids)]);
    const { ours, lost, freed } = sortOut(results, locked);
    const tenants = [...new Set(results.map(({ claim }) => claim.tenantId))];
    const [, , health] = await inOneTurn([
      recordResults(
        tx,
        ours.map(({ claim: { webhookEventId, attempt }, end, endedAt }) => ({
          webhookEventId,
          attempt,
          end,
          endedAt,
        })),
      ),
      insertAttempts(
        tx,
        results.map(({ fact, evaluation: { detail }, answer }) => ({
          fact,
          ...(detail !== undefined && { detail }),
          ...(answer && { answer }),
        })),
      ),
      lockEndpointHealth(tx, tenants),
    ]);
    await writeHealth(tx, results, { health, freed, lost });
    if (observe) await observe('flushing');
    return ours;
  }

  /** And claims, in the same turn, where an endpoint that gives room back is worth a look. */
  async function writeHealth(
    tx: Tx,
    results: readonly AttemptResult[],
    { health: { nowMs, endpoints }, freed, lost }: Ended,
  ): Promise<void> {
    if (lost.length > 0) {
      logger.warn('leases were lost before their results were written', { results: lost.length });
      await overtaken(
        tx,
        lost.map(({ fact }) => fact),
      );
    }
    const healthOf = new Map(endpoints.map((health) => [health.tenantId, health]));
    for (const result of results) {
      const { tenantId } = result.claim;
      const health = healthOf.get(tenantId);
      if (health) healthOf.set(tenantId, healthAfterAttempt(health, result, nowMs, breaker));
    }
    const freedOf = new Map(freed.map((room) => [room.tenantId, room]));
    const failing = new Set(
      results.flatMap(({ evaluation, claim }) => (evaluation.delivered ? [] : claim.tenantId)),
    );
    const after = [...healthOf.values()].map((health) => {
      const { claims = 0, retries = 0 } = freedOf.get(health.tenantId) ?? {};
      const isDue = failing.has(health.tenantId) || retries > 0;
      return { ...health, claims, retries, isDue: isDue || health.isDue };
    });
    const isDue = lost.length > 0 || after.some((health) => health.isDue);
    await inOneTurn([recordEndpointHealth(tx, after), isDue && claimMore?.(tx)]);
  }

  async function recordAndWrite(result: AttemptResult): Promise<boolean> {
    await nextTurn();
    if (!(await tell(result))) return false;
    if (observe) await observe('recorded');
    return new Promise((settle) => {
      queue.push({ result, settle });
      void flush();
    });
  }

  return {
    write(result) {
      const { webhookEventId } = result.claim;
      const end = recordAndWrite(result).finally(() => {
        if (onTheirWay.get(webhookEventId) === end) onTheirWay.delete(webhookEventId);
      });
      // From before it is told: it may be read before its acknowledgement is here.
      onTheirWay.set(webhookEventId, end);
      return end;
    },
    async written(webhookEventIds) {
      const ends = webhookEventIds.flatMap((id) => onTheirWay.get(id) ?? []);
      if (ends.length === 0) return;
      const late = new AbortController();
      const { signal } = late;
      await Promise.race([
        Promise.all(ends),
        delay(patienceMs, undefined, { signal }).catch(() => undefined),
      ]);
      late.abort();
    },
    takeWritten: (fact) => writtenFacts.take(fact),
    giveUpAfter(graceMs) {
      giveUpAtMs = performance.now() + graceMs;
    },
  };
}

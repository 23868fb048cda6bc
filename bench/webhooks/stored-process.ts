import { randomUUID } from 'node:crypto';
import { deliveryCodec, deliverySchemaVersion } from '@tributary/contracts/delivery-record';
import { recordKey } from '@tributary/contracts/topics';
import { createAppender } from '@tributary/event-log/appender';
import { connectTo, silentLogger } from '@tributary/event-log/testing';
import { inTransaction, type Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';
import {
  type AttemptRow,
  insertAttempts,
} from '../../services/webhook-dispatcher/src/db/insert-attempts.ts';
import { recordResults } from '../../services/webhook-dispatcher/src/db/record-results.ts';
import { type Attempt, type ClientSettings, createClient } from './client.ts';
import { type Delivery, makeDeliveries } from './deliveries.ts';
import { serveQuestions } from './serve-questions.ts';
import { openDispatchPool } from './stored-tables.ts';

export type StoredSettings = ClientSettings & {
  concurrency: number;
  postgresUrl: string;
  kafkaBrokers: string;
  /** Name on the broker. */
  topic: string;
};

/** As the dispatcher's. */
const batch = 500;
const gatherMs = 10;

/**
 * The bare loop, and what no dispatcher with our promises can do without: a claim before the
 * request, a fact on the log behind it, then the row of the attempt and the result, each for many
 * at once. It knows what is due without looking for it, and there are no endpoints with limits and
 * breakers, no leases, no schedule, no reading of its own facts.
 */
serveQuestions<StoredSettings>(
  async ({ concurrency, postgresUrl, kafkaBrokers, topic, ...rest }) => {
    const send = createClient(rest);
    const pool = openDispatchPool(postgresUrl);
    const kafka = connectTo(kafkaBrokers);
    const appender = createAppender({ kafka, logger: silentLogger, gatherMs });
    await appender.start();
    const workerId = randomUUID();
    let due: Delivery[] = [];
    let claimed: Delivery[] = [];
    let count = 0;
    let written = 0;
    let claiming: Promise<void> | undefined;
    const results: AttemptRow[] = [];
    let writing = false;

    return {
      load({ series, count: wanted }: { series: string; count: number }) {
        count = wanted;
        due = makeDeliveries(series, count, rest.endpoints.length).reverse();
      },
      go() {
        for (let n = 0; n < concurrency; n++) void loop();
      },
      isDone: () => written === count,
    };

    async function loop(): Promise<void> {
      for (let next = await take(); next; next = await take()) {
        void recordAttempt(next, await send(next, 1));
      }
    }

    /** Undefined when nothing is left. The next ones are claimed before the last are gone. */
    async function take(): Promise<Delivery | undefined> {
      if (claimed.length < batch && due.length > 0) claiming ??= claimMore();
      while (claimed.length === 0 && claiming) await claiming;
      return claimed.pop();
    }

    async function claimMore(): Promise<void> {
      const wanted = due.splice(-batch);
      await inTransaction(pool, (tx) => claim(tx, workerId, wanted));
      claimed = [...wanted, ...claimed];
      claiming = undefined;
    }

    async function recordAttempt(delivery: Delivery, attempt: Attempt): Promise<void> {
      const result = resultOf(delivery, attempt);
      const { tenantId, webhookEventId } = result.fact;
      const value = deliveryCodec.encode(result.fact);
      await appender.append([{ topic, key: recordKey(tenantId, webhookEventId), value }]);
      results.push(result);
      if (!writing) await write(pool);
    }

    async function write(db: pg.Pool): Promise<void> {
      writing = true;
      while (results.length > 0) {
        const rows = results.splice(0, batch);
        await inTransaction(db, (tx) => writeResults(tx, rows));
        written += rows.length;
      }
      writing = false;
    }
  },
);

/** The bodies come from the table, as they have to. */
async function claim(tx: Tx, workerId: string, wanted: readonly Delivery[]): Promise<void> {
  const { rows } = await tx.query<{ webhook_event_id: string; body: Buffer }>({
    name: 'claim',
    text: `update delivery set claimed_by = $1
           where webhook_event_id = any($2::uuid[]) and claimed_by is null and state = 'pending'
           returning webhook_event_id, body`,
    values: [workerId, wanted.map(({ webhookEventId }) => webhookEventId)],
  });
  if (rows.length !== wanted.length) throw new Error(`${rows.length} of ${wanted.length} claimed`);
}

async function writeResults(tx: Tx, rows: readonly AttemptRow[]): Promise<void> {
  await insertAttempts(tx, rows);
  await recordResults(
    tx,
    rows.map(({ fact: { webhookEventId, attempt, step, startedAt } }) => ({
      webhookEventId,
      attempt,
      end: { state: 'delivered', step },
      endedAt: new Date(startedAt),
    })),
  );
}

function resultOf({ issuance, webhookEventId }: Delivery, attempt: Attempt): AttemptRow {
  const { startedAt, durationMs, statusCode, headers, body } = attempt;
  return {
    fact: {
      schemaVersion: deliverySchemaVersion,
      type: 'attempted',
      tenantId: issuance.tenantId,
      webhookEventId,
      issuanceId: issuance.issuanceId,
      ...{ round: 0, attempt: 1, step: 1 },
      ...{ outcome: 'delivered', result: 'status', statusCode },
      ...{ startedAt: startedAt.toISOString(), durationMs },
    },
    answer: { statusCode, headers: [...headers], body, cut: false },
  };
}

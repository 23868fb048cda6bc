import { type DecisionRecord, decisionCodec } from '@tributary/contracts/decision-record';
import type { Incoming } from '@tributary/event-log/projection';
import { readOutbox } from '@tributary/event-log/testing';
import { createLogger } from '@tributary/runtime/logger';
import { inTransaction, type Tx } from '@tributary/runtime/postgres';
import { createApplyBatch } from '../log/apply-batch.ts';
import { createDecideFacts } from '../fold/decide-facts.ts';
import { createDecisionsInFull } from '../fold/decisions-in-full.ts';
import type { Fold } from '@tributary/attribution-fold/fold-user';
import { type Limits, usualLimits } from '../fold/batch-limits.ts';
import type { AttributionMetrics } from '../metrics.ts';
import { prepareDatabase } from '../db/prepare-database.ts';
import { createSweeper } from '../workers/sweeper.ts';
import type { Arrival } from '@tributary/attribution-fold/testing/arbitraries';
import { byEvent, withoutVersion } from '@tributary/attribution-fold/decide-from-scratch';
import { currentDecisions } from './current-decisions.ts';

const silent = createLogger({ service: 'test', level: 'silent' });
const counted = {
  decided: () => undefined,
  foldFailed: () => undefined,
  timeBatch: () => () => undefined,
};

type Topic = Arrival['topic'];
type RecordOf<T extends Topic> = Extract<Arrival, { topic: T }>['record'];

/**
 * The transactions of one attribution process over a real database, called by hand instead of by
 * Kafka and timers. Several of them over one database are several processes.
 */
export async function startParts(options: {
  url: string;
  schema?: string;
  fold?: Fold;
  limits?: Limits;
  metrics?: AttributionMetrics;
}) {
  const { url, schema = 'attribution_g1', fold, limits = usualLimits } = options;
  const { metrics = counted } = options;
  const pool = await prepareDatabase({ url, schema, poolSize: 10 }, silent);
  const decideFacts = createDecideFacts({
    logger: silent,
    attributionsTopic: 'attributions',
    metrics,
    limits,
    ...(fold && { fold }),
  });
  const applyBatch = createApplyBatch({ decideFacts, logger: silent, metrics, limits });
  const sweeper = createSweeper({ pool, logger: silent, decideFacts, limits });

  async function applyIn<T extends Topic>(
    tx: Tx,
    topic: T,
    records: readonly RecordOf<T>[],
  ): Promise<void> {
    const batch = records.map((value, i): Incoming => ({
      source: topic,
      topic,
      partition: 0,
      offset: BigInt(i),
      key: '',
      timestampMs: 0,
      value,
    }));
    await applyBatch(tx, batch);
  }

  /** As a projection does: what another transaction was in the way of is tried again. */
  async function apply<T extends Topic>(topic: T, ...records: RecordOf<T>[]): Promise<void> {
    for (;;) {
      try {
        return await inTransaction(pool, (tx) => applyIn(tx, topic, records));
      } catch (error) {
        if ((error as { code?: string }).code !== '40001') throw error;
      }
    }
  }

  async function outbox(): Promise<DecisionRecord[]> {
    return (await readOutbox(pool)).map(({ value }) => {
      const decoded = decisionCodec.decode(Buffer.from(value!));
      if (decoded.outcome !== 'record') throw new Error(decoded.outcome);
      return decoded.value;
    });
  }

  async function decisions(): Promise<DecisionRecord[]> {
    const { rows } = await pool.query<{ event_id: string; version: number; digest: Buffer }>(
      'select event_id, version, digest from fact',
    );
    const stored = new Map(rows.map((row) => [row.event_id, row]));
    return currentDecisions(await outbox(), stored).sort(byEvent);
  }

  return {
    pool,
    /** In a transaction of the caller's, who decides when it commits. */
    applyIn,
    apply,
    sweep: () => sweeper.sweep(),
    recomputePage: sweeper.recomputePage,
    decisions,
    decisionsInFull: createDecisionsInFull({ logger: silent, ...(fold && { fold }) }),

    /** The current decisions as promise 4 compares them. */
    current: async () => (await decisions()).map(withoutVersion),

    async decision(eventId: string): Promise<DecisionRecord> {
      const found = (await decisions()).find((decision) => decision.eventId === eventId);
      if (!found) throw new Error(`no decision on ${eventId}`);
      return found;
    },

    /** What a relay would append, in order. */
    outbox,

    /** Begins a transaction; the caller ends it by `commit`. */
    async begin(): Promise<{ tx: Tx; commit: () => Promise<void> }> {
      const tx = await pool.connect();
      await tx.query('begin isolation level read committed');
      return {
        tx,
        async commit() {
          await tx.query('commit');
          tx.release();
        },
      };
    },

    async clear(): Promise<void> {
      await pool.query(
        `truncate fact, claim, code, campaign_revision, tenant, referred_user, refold, referral,
           code_owner, outbox`,
      );
    },
    stop: () => pool.end(),
  };
}

export type Parts = Awaited<ReturnType<typeof startParts>>;

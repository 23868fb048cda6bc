import type { KafkaConnection } from '@tributary/event-log/kafka';
import { readWatermarks } from '@tributary/event-log/watermarks';
import { inTransaction } from '@tributary/runtime/postgres';
import { snapshotSettings } from '@tributary/runtime/snapshot';
import { openThreadStream } from '@tributary/runtime/thread-stream';
import type { PostgresSettings } from '@tributary/runtime/variables';
import type pg from 'pg';
import { readEntitlements } from '../db/entitlements.ts';
import type { Narrowing } from '../db/state-rows.ts';
import { type RewardItem, rewardItem } from './reward-item.ts';
import { createSettle, type Offsets, type Settled } from '../db/settle.ts';
import type { StateRequest } from './state-thread.ts';

/** What one generation tells of itself, to be compared with another run over the same log. */
export type LiveState = {
  generation: number;
  /** In the form of state-thread.ts, at a moment that settle.ts describes. */
  tell(
    reached: Offsets,
    narrowing: Narrowing,
    signal: AbortSignal,
  ): Promise<Settled<AsyncGenerator<Uint8Array, void, void>>>;
  rewards(rewardIds: readonly string[]): Promise<RewardItem[]>;
};

export function createLiveState(options: {
  generation: number;
  pool: pg.Pool;
  postgres: PostgresSettings;
  issuanceSchema: string;
  kafka: KafkaConnection;
  /** The name of the projection. */
  name: string;
  issuancesTopic: string;
}): LiveState {
  const { generation, pool, postgres, issuanceSchema, kafka, name, issuancesTopic } = options;
  const snapshotOf = snapshotSettings(postgres, {
    applicationName: 'rewards state',
    searchPath: [postgres.schema, issuanceSchema],
  });
  const settle = createSettle({
    pool,
    name,
    readIssuanceEnds: () => readWatermarks(kafka, [issuancesTopic]),
  });

  return {
    generation,
    async tell(reached, narrowing, signal) {
      const request: StateRequest = { snapshotOf, projection: name, ...narrowing };
      const module = new URL('./state-thread.ts', import.meta.url);
      const chunks = openThreadStream(module, request);
      let isTold = false;
      try {
        // Ready, and without a snapshot yet.
        await chunks.next();
        const settled = await settle(
          reached,
          async () => withFirst(await chunks.next(), chunks),
          signal,
        );
        isTold = settled.outcome === 'settled';
        return settled;
      } finally {
        if (!isTold) await chunks.return();
      }
    },
    async rewards(rewardIds) {
      const found = await inTransaction(pool, (tx) => readEntitlements(tx, [], rewardIds));
      return found.map(rewardItem);
    },
  };
}

/** The stream again, with a chunk that was taken from it. */
async function* withFirst(
  first: IteratorResult<Uint8Array, void>,
  chunks: AsyncGenerator<Uint8Array, void, void>,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    if (!first.done) yield first.value;
    yield* chunks;
  } finally {
    await chunks.return();
  }
}

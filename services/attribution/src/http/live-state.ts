import type { FoldVersion } from '@tributary/attribution-fold/fold-version';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { readWatermarks } from '@tributary/event-log/watermarks';
import { inTransaction } from '@tributary/runtime/postgres';
import { snapshotSettings } from '@tributary/runtime/snapshot';
import { openThreadStream } from '@tributary/runtime/thread-stream';
import type { PostgresSettings } from '@tributary/runtime/variables';
import type pg from 'pg';
import { createFreeze, type FreezeAttribution } from '../db/freeze.ts';
import type { Narrowing } from '../db/state-lines.ts';
import type { DecisionsInFull, InFull } from '../fold/decisions-in-full.ts';
import type { StateRequest } from './state-thread.ts';

/** What one generation tells of itself, to be compared with another run over the same log. */
export type LiveState = {
  generation: number;
  foldVersion: FoldVersion;
  freeze: FreezeAttribution;
  /**
   * Current decisions in the form of state-thread.ts; the first chunk is there with the snapshot.
   */
  tell(narrowing: Narrowing): AsyncGenerator<Uint8Array, void, void>;
  decisionsOn(eventIds: readonly string[]): Promise<InFull>;
};

export function createLiveState(options: {
  generation: number;
  foldVersion: FoldVersion;
  pool: pg.Pool;
  postgres: PostgresSettings;
  kafka: KafkaConnection;
  /** The name of the projection. */
  name: string;
  attributionsTopic: string;
  decisionsInFull: DecisionsInFull;
}): LiveState {
  const { generation, foldVersion, pool, postgres, kafka, name, attributionsTopic } = options;
  const { decisionsInFull } = options;
  const snapshotOf = snapshotSettings(postgres, { applicationName: 'attribution state' });
  return {
    generation,
    foldVersion,
    freeze: createFreeze({
      pool,
      name,
      readOutputEnds: () => readWatermarks(kafka, [attributionsTopic]),
    }),
    tell(narrowing) {
      const request: StateRequest = { snapshotOf, projection: name, ...narrowing };
      return openThreadStream(new URL('./state-thread.ts', import.meta.url), request);
    },
    decisionsOn: (eventIds) => inTransaction(pool, (tx) => decisionsInFull(tx, eventIds)),
  };
}

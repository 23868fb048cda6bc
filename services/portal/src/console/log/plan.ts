import type { ReadModelPlan } from '@tributary/generations/start-read-model';
import type { Tx } from '@tributary/runtime/postgres';
import { fileURLToPath } from 'node:url';
import { pruneDeliveries } from '../db/writes/prune-deliveries.ts';
import { applyBatch } from './apply-batch.ts';
import { topicsRead } from './sources.ts';

/** The read model that the admin API answers from. */
export const readModelPlan: ReadModelPlan = {
  projection: 'portal',
  applicationName: 'portal read model',
  migrations: {
    dir: fileURLToPath(new URL('../../../migrations/read-model', import.meta.url)),
    table: 'migration_read_model',
  },
  topics: topicsRead,
  applyBatch,
};

/** The same, which forgets failed attempts of what was delivered so long ago. */
export function keepingDeliveries(options: {
  days: number;
  everyMs?: number;
  onDeleted: (rows: number) => void;
}): ReadModelPlan {
  const { days, everyMs = 600_000, onDeleted } = options;
  const deleteSome = (tx: Tx) => pruneDeliveries(tx, { days, limit: prunedAtOnce });
  const retention = { everyMs, deleteSome, atOnce: prunedAtOnce, onDeleted };
  return { ...readModelPlan, retention };
}

const prunedAtOnce = 1_000;

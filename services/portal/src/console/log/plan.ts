import type { ReadModelPlan } from '@tributary/generations/start-read-model';
import type { Tx } from '@tributary/runtime/postgres';
import { fileURLToPath } from 'node:url';
import { pruneDeliveries } from '../db/writes/prune-deliveries.ts';
import { pruneManyRequests, pruneOldRequests } from '../db/writes/prune-requests.ts';
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

/** Refused requests are kept as long as their topic has them. */
export const keptRequests = { days: 7, ofATenant: 10_000 };

/** The same, which forgets failed attempts of what was delivered so long ago, and old refusals. */
export function keepingDeliveries(options: {
  days: number;
  everyMs?: number;
  onDeleted: (rows: number) => void;
}): ReadModelPlan {
  const { days, everyMs = 600_000, onDeleted } = options;
  const limit = prunedAtOnce;
  const pruning = (deleteSome: (tx: Tx) => Promise<number>, told = (_rows: number) => {}) => ({
    ...{ everyMs, deleteSome, atOnce: limit, onDeleted: told },
  });
  const retention = [
    pruning((tx) => pruneDeliveries(tx, { days, limit }), onDeleted),
    pruning((tx) => pruneOldRequests(tx, { days: keptRequests.days, limit })),
    pruning((tx) => pruneManyRequests(tx, { most: keptRequests.ofATenant, limit })),
  ];
  return { ...readModelPlan, retention };
}

const prunedAtOnce = 1_000;

import type { ReadModelPlan } from '@tributary/generations/start-read-model';
import { fileURLToPath } from 'node:url';
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

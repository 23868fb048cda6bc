import type { ReadModelPlan } from '@tributary/generations/start-read-model';
import { fileURLToPath } from 'node:url';
import { applyBatch } from './apply-batch.ts';
import { topicsRead } from './sources.ts';

/** What a user of the widget may see; for `hostReadModels`. */
export const readModelPlan: ReadModelPlan = {
  projection: 'widget',
  applicationName: 'widget read model',
  migrations: {
    dir: fileURLToPath(new URL('../../migrations', import.meta.url)),
    table: 'migration_read_model',
  },
  topics: topicsRead,
  applyBatch,
};

import type { KafkaConnection } from '@tributary/event-log/kafka';
import type pg from 'pg';
import type { JobKind } from '../job-kind.ts';
import type { ReplaySettings } from '../../settings.ts';
import { createRebuildKind, type RebuildChecks } from './rebuild.ts';
import type { SwapDeps } from './swap.ts';
import { createDropKind, createRollbackKind, createSwapKind } from './swap-kinds.ts';

/** The jobs that make, exchange and remove generations. */
export function createGenerationKinds(options: {
  settings: ReplaySettings;
  /** Finds names in the schema of generations. */
  pool: pg.Pool;
  /** Reach the databases that read models have of their own. */
  readModelPools: readonly pg.Pool[];
  kafka: KafkaConnection;
  checks: RebuildChecks;
}): JobKind[] {
  const { settings, pool, readModelPools, kafka, checks } = options;
  const { topics } = settings;
  const deps: SwapDeps = { pool, readModelPools, kafka, topics };
  const { replication, minInsync } = topics;
  return [
    createRebuildKind({ ...deps, ...checks, replication, minInsync }),
    createSwapKind(deps),
    createRollbackKind(deps),
    createDropKind(deps),
  ] as JobKind[];
}

import type { Logger } from '@tributary/runtime/logger';
import type pg from 'pg';
import { createGenerationKinds } from './generations/generation-kinds.ts';
import { createRebuildChecks } from './generations/rebuild-checks.ts';
import type { JobKind } from './job-kind.ts';
import { createCommitCheck } from './commit-check.ts';
import { createPreview } from './preview.ts';
import { createReplayTools } from './replay-tools.ts';
import { createState } from './state.ts';
import { createVerify } from './verify.ts';
import type { ReplaySettings } from '../settings.ts';

/** What kinds of jobs are made of, in the process of one job. */
export type KindDeps = {
  settings: ReplaySettings;
  /** Finds names in the schema of this service, and in that of generations. */
  pool: pg.Pool;
  /** Reach the databases that read models have of their own. */
  readModelPools: readonly pg.Pool[];
  logger: Logger;
};

export type CreateKinds = (deps: KindDeps) => readonly JobKind[];

/** Every kind of job. What may be asked of each is in commands/job-params.ts. */
export const createKinds: CreateKinds = (deps) => {
  const tools = createReplayTools(deps);
  const { pool, readModelPools, settings } = deps;
  const { prefix } = settings.topics;
  return [
    createVerify(tools, { prefix }),
    createPreview(tools, { pool, prefix }),
    createState(tools, { pool, prefix }),
    createCommitCheck(tools, { pool, prefix }),
    ...createGenerationKinds({
      ...{ settings, pool, readModelPools, kafka: tools.kafka },
      checks: createRebuildChecks(tools, { pool, prefix }),
    }),
  ];
};

import type { GenerationsDb } from '@tributary/generations/registry';
import type { Stage } from '@tributary/generations/stage';
import { createStageDatabases, type StageDatabases } from '@tributary/generations/stage-databases';
import { listStages } from '@tributary/generations/stage-registry';
import type { SwapDeps } from './swap.ts';
import { NotNow } from './wait.ts';

/** What a generation consists of: the folds, which read one another, and whatever reads them. */
export type Stages = { attribution: Stage; rewards: Stage; readModels: readonly Stage[] };

/**
 * As the services registered themselves.
 *
 * @throws NotNow when a fold did not: no process of this release has run on this database yet, or
 * it was restored from a backup of before.
 */
export async function readStages(db: GenerationsDb, generation: number): Promise<Stages> {
  const stages = await listStages(db, generation).catch((error: unknown) => {
    if (!isUndefinedTable(error)) throw error;
    throw new NotNow('there is no list of stages: the services make it anew within seconds');
  });
  const [attribution, rewards] = [find(stages, 'attribution'), find(stages, 'rewards')];
  const readModels = stages.filter((stage) => stage !== attribution && stage !== rewards);
  return { attribution, rewards, readModels };
}

/**
 * For what must leave out nothing, and can wait for people: every deployment has a portal. Where
 * money waits its read model is not waited for.
 *
 * @throws NotNow when a fold or one of the read models that are everywhere has not registered
 * itself.
 */
export async function readAllStages(
  { pool, everywhere = ['portal'] }: { pool: GenerationsDb; everywhere?: readonly string[] },
  generation: number,
): Promise<Stages> {
  const stages = await readStages(pool, generation);
  for (const name of everywhere) find(allOf(stages), name);
  return stages;
}

function find(stages: readonly Stage[], name: string): Stage {
  const found = stages.find((stage) => stage.name === name);
  if (!found) throw new NotNow(`${name} has not registered itself: start it once`);
  return found;
}

/** Or schema. */
function isUndefinedTable(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === '42P01' || code === '3F000';
}

/** Where stages have their tables, as far as this process has their addresses. */
export function databasesOf({
  pool,
  readModelPools = [],
}: Pick<SwapDeps, 'pool' | 'readModelPools'>): StageDatabases {
  return createStageDatabases(pool, readModelPools);
}

/** In the order in which they depend on one another. */
export function allOf({ attribution, rewards, readModels }: Stages): Stage[] {
  return [attribution, rewards, ...readModels];
}

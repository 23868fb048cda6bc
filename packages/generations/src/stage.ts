import type { Topic } from '@tributary/contracts/topics';
import { groupOfGeneration, schemaOfGeneration } from './generation.ts';

/**
 * What one service runs of every generation, as it registers itself (decision 30). Its names are
 * those of the first generation.
 */
export type StagePlan = {
  /** The service's own. */
  name: string;
  schema: string;
  /** Consumer group. */
  group: string;
  /** Under which its positions are kept. */
  projection: string;
  /** What it reads. */
  topics: readonly Topic[];
  /** What it keeps for all generations together. */
  sharedSchema?: string;
  /** The database of its schemas, where it is not that of the registry: see stage-databases.ts. */
  database?: string;
};

/** The same with the names that it has in this generation. */
export type Stage = StagePlan & { generation: number };

export function stageOf(plan: StagePlan, generation: number): Stage {
  return {
    ...plan,
    generation,
    schema: schemaOfGeneration(plan.schema, generation),
    group: groupOfGeneration(plan.group, generation),
  };
}

import { isSchemaOfGeneration } from '@tributary/generations/generation';
import type { Queryable } from './inspect.ts';

/** The generations of the folds, by number. */
export type Generations = {
  live: number;
  /** Run by nobody any more. */
  lost: readonly number[];
  /** All others: what is built, what was live before, and the live one. */
  run: readonly number[];
};

export async function readGenerations(db: Queryable): Promise<Generations> {
  const { rows } = await db.query<Generations>(
    `select live_generation.generation as live,
       array(select number from generations.generation where status = 'lost' order by 1) as lost,
       array(select number from generations.generation where status <> 'lost' order by 1) as run
     from generations.live_generation`,
  );
  return rows[0]!;
}

/** Whether a schema is of one of these generations. */
export function isOfGenerations(generations: readonly number[]): (schema: string) => boolean {
  return (schema) => generations.some((number) => isSchemaOfGeneration(schema, number));
}

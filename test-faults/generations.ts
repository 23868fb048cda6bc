import { topicName, topics } from '@tributary/contracts/topics';
import type { Queryable } from './inspect.ts';

/** Which generation of the folds is live, and which were lost and are run by nobody any more. */
export async function readGenerations(db: Queryable): Promise<{ live: number; lost: number[] }> {
  const { rows } = await db.query<{ live: number; lost: number[] }>(
    `select live_generation.generation as live,
       array(select number from generations.generation where status = 'lost' order by 1) as lost
     from generations.live_generation`,
  );
  return rows[0]!;
}

/** What belongs to lost generations: nobody goes on with it. */
export function lostIn(lost: readonly number[]) {
  const schemas = lost.map((generation) => `_g${generation}`);
  const names = new Set(
    lost.flatMap((generation) =>
      ['attributions', 'rewards'].map((topic) =>
        topicName(topic as keyof typeof topics, { prefix: '', generation }),
      ),
    ),
  );
  return {
    schema: (name: string) => schemas.some((end) => name.endsWith(end)),
    topic: (name: string) => names.has(name),
  };
}

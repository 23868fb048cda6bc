import type { InternalRoute } from '@tributary/http/internal-router';
import {
  listGenerationEvents,
  listGenerations,
  readLiveGeneration,
} from '@tributary/generations/registry';
import type pg from 'pg';

/**
 * GET /generations: which there are, which one is live, and what became of them, the newest first.
 */
export function createGenerationRoutes({ pool }: { pool: pg.Pool }): InternalRoute[] {
  return [
    {
      method: 'GET',
      path: '/generations',
      async answer() {
        const [live, generations, events] = [
          await readLiveGeneration(pool),
          await listGenerations(pool),
          await listGenerationEvents(pool),
        ];
        return { status: 200, body: { live, generations, events } };
      },
    },
  ];
}

import { showStages } from '@tributary/contracts/admin/health';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { findGeneration, readLiveGeneration } from '@tributary/generations/registry';
import { readLag } from '@tributary/generations/stage-lag';
import { listStages } from '@tributary/generations/stage-registry';
import { declaredRoute } from '@tributary/http/declared-route';
import type { InternalRoute } from '@tributary/http/internal-router';
import type pg from 'pg';
import { databasesOf } from '../commands/generations/stages.ts';

/** How far the stages of the live generation are behind the log. */
export function createStageRoutes(options: {
  pool: pg.Pool;
  readModelPools: readonly pg.Pool[];
  kafka: KafkaConnection;
  prefix: string;
}): InternalRoute[] {
  const { pool, kafka, prefix } = options;
  return [
    declaredRoute(showStages, { atOnce: 2 })(async () => {
      const generation = await readLiveGeneration(pool);
      const foldVersion = (await findGeneration(pool, generation))?.foldVersion ?? 0;
      const registered = await listStages(pool, generation);
      const at = { databases: databasesOf(options), kafka, prefix };
      const stages = (await readLag(at, registered)).map(
        ({ stage, read = null, total, unknown = null }) => ({ stage, read, total, unknown }),
      );
      return { status: 200, body: { generation, foldVersion, stages } };
    }),
  ];
}

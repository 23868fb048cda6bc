import type { Topic } from '@tributary/contracts/topics';
import type { Appender } from '@tributary/event-log/appender';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { eventLogMigrations } from '@tributary/event-log/migrations';
import { createRelay } from '@tributary/event-log/outbox';
import { createProjection } from '@tributary/event-log/projection';
import type { Check } from '@tributary/http/admin-listener';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { migrate } from '@tributary/runtime/migrate';
import { createPool } from '@tributary/runtime/postgres';
import type { PostgresSettings } from '@tributary/runtime/variables';
import type pg from 'pg';
import { fileURLToPath } from 'node:url';
import { applyBatch } from './apply-batch.ts';
import { type Freshness, startFreshness } from './freshness.ts';
import { sourcesOf, topicsRead } from './sources.ts';

/** Of the generation that is live when it is asked, so not to be kept from one request to the next. */
export type ReadModel = {
  /** For reading; its search path is the schema of the read model. */
  readonly pool: pg.Pool;
  freshness: Pick<Freshness, 'asOf' | 'behind'>;
  health(): Check;
  relayHealth(): Check;
};
export type StartedReadModel = ReadModel & { checks: Record<string, () => Check> };

/**
 * The read model of one generation. Prepares the schema, and reads all topics into it in the
 * background: the admin API answers at once, with what is there.
 */
export async function startReadModel(options: {
  postgres: PostgresSettings;
  group: string;
  kafka: KafkaConnection;
  appender: Appender;
  nameOf: (topic: Topic) => string;
  logger: Logger;
  onStop: OnStop;
}): Promise<StartedReadModel> {
  const { postgres, group, kafka, appender, nameOf, logger, onStop } = options;
  await migrate({
    settings: postgres,
    schema: postgres.schema,
    sets: [eventLogMigrations, { dir: migrationsDir, table: 'migration_read_model' }],
    logger,
  });
  const pool = createPool(postgres, { applicationName: 'portal read model', logger });
  onStop('read model postgres', () => pool.end());

  // Its outbox holds dead letters only.
  const relay = createRelay({ pool, appender, logger });
  await relay.start();
  onStop('read model relay', () => relay.stop());

  const projection = createProjection({
    kafka,
    logger,
    pool,
    name: projectionName,
    group,
    sources: sourcesOf(nameOf),
    apply: applyBatch,
    deadLetterTopic: nameOf('deadLetters'),
  });
  await projection.start();
  onStop('read model', () => projection.stop());

  const freshness = startFreshness({
    kafka,
    pool,
    logger,
    projection: projectionName,
    topics: topicsRead.map(nameOf),
  });
  onStop('read model freshness', () => freshness.stop());
  const health = () => projection.health();
  const relayHealth = () => relay.health();
  const checks = { 'read-model': health, 'read-model-outbox': relayHealth };
  return { pool, freshness, health, relayHealth, checks };
}

export const projectionName = 'portal';
const migrationsDir = fileURLToPath(new URL('../../migrations/read-model', import.meta.url));

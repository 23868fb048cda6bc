import { type Topic, topics } from '@tributary/contracts/topics';
import type { Appender } from '@tributary/event-log/appender';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { createCatchUp } from '@tributary/event-log/catch-up';
import { eventLogMigrations } from '@tributary/event-log/migrations';
import { createRelay } from '@tributary/event-log/relay';
import { createProjection, type Incoming, type Projection } from '@tributary/event-log/projection';
import { topicSources } from '@tributary/event-log/topic-sources';
import { type Checks, compose, type Health } from '@tributary/runtime/component';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { migrate, type MigrationSet } from '@tributary/runtime/migrate';
import { createPool, inTransaction, type Tx } from '@tributary/runtime/postgres';
import { createRepeater, type Repeater } from '@tributary/runtime/repeater';
import type { PostgresSettings } from '@tributary/runtime/variables';
import type pg from 'pg';
import { createFreshness, type Freshness } from './freshness.ts';

/** What a service lays out of the log to answer from; the same in each generation. */
export type ReadModelPlan = {
  /** Under which the positions are kept. */
  projection: string;
  /** As Postgres lists the connections. */
  applicationName: string;
  migrations: MigrationSet;
  topics: readonly Topic[];
  /** Must not depend on the order in which topics come, nor on how often a record does. */
  applyBatch: (tx: Tx, batch: readonly Incoming[]) => Promise<void>;
  /** What is deleted once its time is over. */
  retention?: readonly Retention[];
};

export type Retention = {
  everyMs: number;
  /** Deletes some, in a transaction of its own; says how many, less than `atOnce` at the end. */
  deleteSome: (tx: Tx) => Promise<number>;
  atOnce: number;
  onDeleted: (rows: number) => void;
};

/**
 * Belongs to the generation that is live when it is asked for, so it must not be kept from one
 * request to the next.
 */
export type ReadModel = {
  /** For reading; its search path is the schema of the read model. */
  readonly pool: pg.Pool;
  /** In the database of the pool. */
  readonly schema: string;
  freshness: Pick<Freshness, 'asOf' | 'behind'>;
  /**
   * Whether it has what was on the log when this process began to read; see catch-up.ts of
   * event-log.
   */
  hasCaughtUp(): Promise<boolean>;
  health(): Health;
  relayHealth(): Health;
};
export type StartedReadModel = ReadModel & {
  checks: Checks;
  isIntact: () => Promise<boolean>;
  consumer: Projection['consumer'];
};

/**
 * The read model of one generation. Prepares the schema, and reads the topics into it in the
 * background: whoever asks is answered at once, with what is there.
 */
export async function startReadModel(options: {
  plan: ReadModelPlan;
  postgres: PostgresSettings;
  group: string;
  kafka: KafkaConnection;
  appender: Appender;
  nameOf: (topic: Topic) => string;
  logger: Logger;
  onStop: OnStop;
  generation: number;
  isLive: () => boolean;
}): Promise<StartedReadModel> {
  const { plan, postgres, group, kafka, appender, nameOf, logger, onStop } = options;
  const { generation, isLive } = options;
  const { projection: name, applicationName, applyBatch } = plan;
  const { add, start, checks } = compose({ onStop });
  await migrateReadModel(plan, postgres, logger);
  const pool = createPool(postgres, { applicationName, logger });
  add('read model postgres', { stop: () => pool.end() });

  // Its outbox holds dead letters only.
  const relay = createRelay({ pool, appender, logger });
  await start('read-model-outbox', relay);

  const sources = topicSources(plan.topics, nameOf);
  const projection = createProjection({
    kafka,
    logger,
    pool,
    name,
    group,
    sources,
    apply: applyBatch,
    deadLetterTopic: nameOf('deadLetters'),
    whenOlder: 'stand-still',
    ...{ generation, isLive },
    gatherMs: readModelGatherMs,
  });
  await start('read-model', projection);

  for (const retention of plan.retention ?? []) {
    await start('read-model-retention', createRetention(pool, retention, logger));
  }

  const topicNames = plan.topics.map(nameOf);
  const freshness = createFreshness({ kafka, pool, logger, projection: name, topics: topicNames });
  await start('read-model-freshness', freshness);
  const hasCaughtUp = createCatchUp({
    ...{ kafka, pool, name, projection, topics: topicNames },
    expiring: sources.filter(({ compacted }) => compacted).map(({ topic }) => topic),
  });
  return {
    pool,
    schema: postgres.schema,
    freshness,
    hasCaughtUp,
    health: () => projection.health(),
    relayHealth: () => relay.health(),
    checks: checks(),
    isIntact: () => projection.isIntact(),
    consumer: projection.consumer,
  };
}

/** The tables alone. */
export function migrateReadModel(
  { migrations }: Pick<ReadModelPlan, 'migrations'>,
  postgres: PostgresSettings,
  logger: Logger,
): Promise<void> {
  const { schema } = postgres;
  const sets = [eventLogMigrations, migrations];
  return migrate({ settings: postgres, schema, sets, logger });
}

/**
 * Nothing waits for a read model but people who look at it, so it reads less often, and more at
 * once, than the stages between a request and its webhook.
 */
const readModelGatherMs = 200;

/** What a generation writes of its own; all other topics are the same for all of them. */
export function generationalTopics({ topics: read }: ReadModelPlan): Topic[] {
  return read.filter((topic) => topics[topic].generational);
}

/** Any number of processes may do this at once: what one deletes, others leave to it. */
function createRetention(pool: pg.Pool, retention: Retention, logger: Logger): Repeater {
  const { everyMs, deleteSome, atOnce, onDeleted } = retention;
  return createRepeater({
    everyMs,
    async work(stopping) {
      for (let deleted = atOnce; deleted >= atOnce && !stopping();) {
        deleted = await inTransaction(pool, deleteSome);
        onDeleted(deleted);
      }
    },
    onFailure: (error) => {
      logger.warn('the read model was not pruned; trying again later', { error });
    },
  });
}

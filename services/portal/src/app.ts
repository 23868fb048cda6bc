import { type Topic, topicName } from '@tributary/contracts/topics';
import { createAppender } from '@tributary/event-log/appender';
import { createKafka } from '@tributary/event-log/kafka';
import { eventLogMigrations } from '@tributary/event-log/migrations';
import { createRelay } from '@tributary/event-log/outbox';
import { checkTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { type Check, createAdminApp } from '@tributary/http/admin-listener';
import { createRegistry } from '@tributary/http/metrics';
import { listen } from '@tributary/http/server';
import { type Clock, systemClock } from '@tributary/runtime/clock';
import { createIdSource } from '@tributary/runtime/ids';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { migrate } from '@tributary/runtime/migrate';
import { createPool, postgresCheck } from '@tributary/runtime/postgres';
import type { KeyRing } from '@tributary/runtime/secrets';
import type { KafkaSettings, PostgresSettings, TopicWiring } from '@tributary/runtime/variables';
import { fileURLToPath } from 'node:url';
import { createDocsHandler } from './adapters/docs/docs-handler.ts';
import { loadDocs } from './adapters/docs/load-docs.ts';
import { createAdminApi } from './adapters/http/admin-api.ts';
import type { Environment } from './domain/addresses.ts';

export type PortalSettings = {
  environment: Environment;
  host: string;
  port: number;
  adminPort: number;
  kafka: KafkaSettings;
  postgres: PostgresSettings;
  topics: TopicWiring;
  keyRing: KeyRing;
  accessKeyDigestKey: Buffer;
  uccKey: Buffer;
  operatorTokens: readonly string[];
};

const service = 'portal';
const topicsUsed: readonly Topic[] = ['catalog', 'codes'];

/**
 * Builds and starts the service. Stops are handed to `onStop` as things start, to be run in
 * reverse: the public listener first, so that what it accepted still reaches Postgres and the log.
 */
export async function startPortal(
  settings: PortalSettings,
  options: { logger: Logger; onStop: OnStop; clock?: Clock },
): Promise<{ port: number; adminPort: number }> {
  const { logger, onStop, clock = systemClock } = options;
  const { topics } = settings;

  await migrate({
    settings: settings.postgres,
    schema: settings.postgres.schema,
    sets: [eventLogMigrations, { dir: migrationsDir, table: 'migration' }],
    logger,
  });
  const pool = createPool(settings.postgres, {
    searchPath: [settings.postgres.schema],
    applicationName: service,
    logger,
  });
  onStop('postgres', () => pool.end());

  const kafka = createKafka({ settings: settings.kafka, clientId: service, logger });
  await checkTopics({ kafka, topics: topicSpecs(topics, topicsUsed) });
  const appender = createAppender({ kafka, logger });
  await appender.start();
  onStop('appender', () => appender.stop());
  const relay = createRelay({ pool, appender, logger });
  await relay.start();
  onStop('relay', () => relay.stop());

  const registry = createRegistry(service);
  const checks: Record<string, () => Check | Promise<Check>> = {
    kafka: () => appender.health(),
    outbox: () => relay.health(),
    postgres: postgresCheck(pool),
  };
  const { host } = settings;
  const internal = await listen({
    app: createAdminApp({ service, registry, checks }),
    host,
    port: settings.adminPort,
    logger,
  });
  onStop('admin listener', () => internal.stop());

  const app = createAdminApi({
    deployment: {
      pool,
      clock,
      environment: settings.environment,
      topics: { catalog: topicName('catalog', topics), codes: topicName('codes', topics) },
      keyRing: settings.keyRing,
      accessKeyDigestKey: settings.accessKeyDigestKey,
      uccKey: settings.uccKey,
      randomId: createIdSource().base62,
    },
    docs: createDocsHandler(await loadDocs()),
    operatorTokens: settings.operatorTokens,
    logger,
  });
  const listener = await listen({ app, host, port: settings.port, logger });
  onStop('public listener', () => listener.stop());
  return { port: listener.port, adminPort: internal.port };
}

const migrationsDir = fileURLToPath(new URL('../migrations', import.meta.url));

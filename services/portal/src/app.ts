import type { Topic } from '@tributary/contracts/topics';
import { connectLog } from '@tributary/event-log/connect-log';
import { eventLogMigrations } from '@tributary/event-log/migrations';
import { createRelay } from '@tributary/event-log/outbox';
import { startAdminListener } from '@tributary/http/admin-listener';
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

  const { appender, nameOf } = await connectLog({
    settings: settings.kafka,
    service,
    topics: settings.topics,
    topicsUsed,
    logger,
    onStop,
  });
  const relay = createRelay({ pool, appender, logger });
  await relay.start();
  onStop('relay', () => relay.stop());

  const app = createAdminApi({
    deployment: {
      pool,
      clock,
      environment: settings.environment,
      topics: { catalog: nameOf('catalog'), codes: nameOf('codes') },
      keyRing: settings.keyRing,
      accessKeyDigestKey: settings.accessKeyDigestKey,
      uccKey: settings.uccKey,
      randomId: createIdSource().base62,
    },
    docs: createDocsHandler(await loadDocs()),
    operatorTokens: settings.operatorTokens,
    logger,
  });
  const { host } = settings;
  const listener = await listen({ app, host, port: settings.port, logger });
  onStop('public listener', () => listener.stop());

  // After the public one: ready means that requests can come.
  const adminPort = await startAdminListener({
    service,
    registry: createRegistry(service),
    checks: {
      kafka: () => appender.health(),
      outbox: () => relay.health(),
      postgres: postgresCheck(pool),
    },
    host,
    port: settings.adminPort,
    logger,
    onStop,
  });
  return { port: listener.port, adminPort };
}

const migrationsDir = fileURLToPath(new URL('../migrations', import.meta.url));

import { catalogCodec } from '@tributary/contracts/catalog-record';
import { deliveryCodec } from '@tributary/contracts/delivery-record';
import { issuanceCodec } from '@tributary/contracts/issuance-record';
import type { Topic } from '@tributary/contracts/topics';
import { createCatchUp } from '@tributary/event-log/catch-up';
import { createGlobalTable } from '@tributary/event-log/global-table';
import { connectLog } from '@tributary/event-log/connect-log';
import { eventLogMigrations } from '@tributary/event-log/migrations';
import { createRelay } from '@tributary/event-log/outbox';
import { createProjection, source } from '@tributary/event-log/projection';
import { type Checks, startAdminListener } from '@tributary/http/admin-listener';
import { createCatalogView } from '@tributary/http/catalog-view';
import { createRegistry } from '@tributary/http/metrics';
import { systemClock } from '@tributary/runtime/clock';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { migrate } from '@tributary/runtime/migrate';
import { createPool, postgresCheck } from '@tributary/runtime/postgres';
import type { KeyRing } from '@tributary/runtime/secrets';
import type { KafkaSettings, PostgresSettings, TopicWiring } from '@tributary/runtime/variables';
import { fileURLToPath } from 'node:url';
import { createExchange } from './adapters/endpoint/exchange.ts';
import {
  createDeliverySender,
  type ServiceEnvironment,
} from './adapters/endpoint/send-delivery.ts';
import { applyRecords, deliveriesSource, issuancesSource } from './adapters/log/apply-records.ts';
import { readBacklog } from './adapters/postgres/read-backlog.ts';
import { createDeliveryWorker, type WorkerSettings } from './delivery-worker.ts';
import { createDispatcherMetrics, registerBacklogMetrics } from './metrics.ts';
import { createResultWriter } from './result-writer.ts';
import { startWhenCaughtUp } from './start-when-caught-up.ts';

export type DispatcherSettings = {
  environment: ServiceEnvironment;
  host: string;
  adminPort: number;
  kafka: KafkaSettings;
  postgres: PostgresSettings;
  topics: TopicWiring;
  group: string;
  secrets: KeyRing;
  horizonMs: number;
  answerLimitBytes: number;
  worker: WorkerSettings;
};

const service = 'webhook-dispatcher';
const topicsUsed: readonly Topic[] = ['issuances', 'deliveries', 'catalog', 'deadLetters'];

/**
 * Builds and starts the service. Stops are handed to `onStop` as things start, to be run in
 * reverse: first no more claims and what is under way ends, last the connections.
 */
export async function startDispatcher(
  settings: DispatcherSettings,
  { logger, onStop }: { logger: Logger; onStop: OnStop },
): Promise<{ adminPort: number }> {
  const registry = createRegistry(service);

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

  const { kafka, appender, nameOf } = await connectLog({
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

  const exchange = createExchange({
    timeoutMs: settings.worker.timeoutMs,
    answerLimitBytes: settings.answerLimitBytes,
  });
  onStop('connections to endpoints', () => exchange.close());

  const catalogView = createCatalogView();
  const worker = createDeliveryWorker({
    pool,
    logger,
    clock: systemClock,
    metrics: createDispatcherMetrics(registry),
    endpointOf: (tenantId) => {
      const endpoint = catalogView.webhookEndpoint(tenantId);
      return endpoint?.status === 'active' ? endpoint : undefined;
    },
    send: createDeliverySender({ ...settings, exchange }),
    results: createResultWriter({
      pool,
      logger,
      deliveriesTopic: nameOf('deliveries'),
      horizonMs: settings.horizonMs,
    }),
    settings: settings.worker,
  });
  const catalog = createGlobalTable({
    kafka,
    logger,
    topic: nameOf('catalog'),
    codec: catalogCodec,
    apply: (record) => {
      catalogView.apply(record);
      if (record.entity === 'webhook-endpoint') worker.endpointsChanged();
    },
  });
  onStop('catalog', () => catalog.stop());

  const projection = createProjection({
    kafka,
    logger,
    pool,
    name: service,
    group: settings.group,
    sources: [
      source(issuancesSource, nameOf('issuances'), issuanceCodec),
      source(deliveriesSource, nameOf('deliveries'), deliveryCodec),
    ],
    apply: applyRecords,
    deadLetterTopic: nameOf('deadLetters'),
    onCommitted: (batch) => {
      if (batch[0]?.source === issuancesSource) worker.wake();
    },
  });
  await projection.start();
  onStop('projection', () => projection.stop());

  const gate = startWhenCaughtUp({
    logger,
    ready: async () => {
      await catalog.start();
      return createCatchUp({
        kafka,
        pool,
        name: service,
        projection,
        topics: [nameOf('issuances'), nameOf('deliveries')],
      });
    },
    start: () => worker.start(),
  });
  onStop('worker', async () => {
    gate.stop();
    await worker.stop();
  });

  registerBacklogMetrics(registry, {
    readBacklog: () => readBacklog(pool),
    inFlight: () => worker.inFlight(),
    outboxPending: () => relay.pending(),
  });
  const checks: Checks = {
    'caught-up': () => gate.health(),
    kafka: () => appender.health(),
    catalog: () => catalog.health(),
    projection: () => projection.health(),
    outbox: () => relay.health(),
    worker: () => worker.health(),
    postgres: postgresCheck(pool),
  };
  const adminPort = await startAdminListener({
    service,
    registry,
    checks,
    host: settings.host,
    port: settings.adminPort,
    logger,
    onStop,
  });
  return { adminPort };
}

const migrationsDir = fileURLToPath(new URL('../migrations', import.meta.url));

import { processorCodec } from '@tributary/contracts/processor-record';
import type { Topic } from '@tributary/contracts/topics';
import { createCatchUp } from '@tributary/event-log/catch-up';
import { connectDatabase } from '@tributary/event-log/connect-database';
import { connectLog } from '@tributary/event-log/connect-log';
import { followCatalog } from '@tributary/event-log/follow-catalog';
import { createRelay } from '@tributary/event-log/outbox';
import { createProjection, source } from '@tributary/event-log/projection';
import { startWhenCaughtUp } from '@tributary/event-log/start-when-caught-up';
import { type Checks, startAdminListener } from '@tributary/http/admin-listener';
import { createCatalogView } from '@tributary/http/catalog-view';
import { createInternalRouter } from '@tributary/http/internal-router';
import { createRegistry } from '@tributary/http/metrics';
import { listen } from '@tributary/http/server';
import { systemClock } from '@tributary/runtime/clock';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { postgresCheck } from '@tributary/runtime/postgres';
import { fileURLToPath } from 'node:url';
import { createPublicApp } from './adapters/http/public-app.ts';
import { createReceiveRoute } from './adapters/http/receive-route.ts';
import { appendRecords } from './adapters/log/append-records.ts';
import { createApplyRecords, processorSource } from './adapters/log/apply-records.ts';
import { createStripeApi } from './adapters/stripe/create-stripe-api.ts';
import type { ProcessorEventsSettings } from './config.ts';
import { accountOf } from './connections/account-of.ts';
import { createTestWayIn } from './connections/test-way-in.ts';
import { createFetchWorker } from './fetch-worker.ts';
import { createFindConnection } from './find-connection.ts';
import { createInternalRoutes } from './internal-routes.ts';
import { readConnectionStatus } from './items/read-connection-status.ts';
import { createProcessorMetrics, registerProcessorGauges } from './metrics.ts';
import type { Observe } from './moments.ts';
import { createStripeCalls } from './stripe-calls.ts';
import { createUpkeep } from './upkeep.ts';
import { createWasSeen } from './was-seen.ts';

const service = 'processor-events';
const topicsUsed: readonly Topic[] = ['processor', 'events', 'catalog', 'deadLetters'];

/**
 * Builds and starts the service. Stripe's events are taken once the catalog has been read: before
 * that each would be of an unknown connection. They are taken without the database, too, and while
 * the log is being read; Stripe is asked for what is missing only after that.
 *
 * `observe` is for kill tests (see moments.ts).
 */
export async function startProcessorEvents(
  settings: ProcessorEventsSettings,
  { logger, onStop, observe }: { logger: Logger; onStop: OnStop; observe?: Observe },
): Promise<{ port: number; adminPort: number }> {
  const { host, secrets, publicUrl } = settings;
  const livemode = settings.environment === 'prod';
  const clock = systemClock;
  const registry = createRegistry(service);
  const metrics = createProcessorMetrics(registry);

  const life = { service, logger, onStop };
  const pool = await connectDatabase(settings.postgres, { ...life, migrationsDir });

  const { kafka, appender, nameOf } = await connectLog(settings, { ...life, topicsUsed });
  const processorTopic = nameOf('processor');
  const relay = createRelay({ pool, appender, logger });
  await relay.start();
  onStop('relay', () => relay.stop());

  const catalogView = createCatalogView();
  const catalog = followCatalog({ kafka, nameOf }, catalogView, life);
  const connectionOf = (connectionId: string) => catalogView.processorConnection(connectionId);
  const findConnection = createFindConnection({
    connectionOf,
    becomeCurrent: () => catalog.becomeCurrent(),
  });
  const connections = () => catalogView.processorConnections();

  const stripe = createStripeApi({
    url: settings.stripeUrl,
    timeoutMs: settings.stripeTimeoutMs,
  });
  const calls = createStripeCalls({ stripe, secrets });
  const worker = createFetchWorker({
    pool,
    logger,
    appender,
    processorTopic,
    mayAsk: () => gate.health().ok,
    connectionOf,
    fetch: calls.fetch,
    settings: settings.fetches,
    onOutcome: metrics.fetched,
    observe,
  });
  const upkeep = createUpkeep({
    pool,
    logger,
    connections,
    removeEndpoint: calls.removeEndpoint,
    settings: settings.upkeep,
  });
  const projection = createProjection({
    kafka,
    logger,
    pool,
    name: service,
    group: settings.group,
    sources: [source(processorSource, processorTopic, processorCodec)],
    apply: createApplyRecords({
      logger,
      eventsTopic: nameOf('events'),
      metadataTtlMs: settings.metadataTtlMs,
      observe,
    }),
    deadLetterTopic: nameOf('deadLetters'),
    onCommitted: () => worker.wake(),
  });

  const caughtUp = createCatchUp({
    kafka,
    pool,
    name: service,
    projection,
    topics: [processorTopic],
  });
  let open = false;
  const gate = startWhenCaughtUp({
    logger,
    work: 'questions to the payment processor',
    // Without the catalog nobody could be asked.
    caughtUp: async () => open && (await caughtUp()),
    start: () => {
      worker.start();
      upkeep.start();
    },
  });
  onStop('worker', async () => {
    gate.stop();
    await Promise.all([worker.stop(), upkeep.stop()]);
  });
  const checks: Checks = {
    'caught-up': () => gate.health(),
    kafka: () => appender.health(),
    catalog: () => catalog.health(),
    projection: () => projection.health(),
    outbox: () => relay.health(),
    worker: () => worker.health(),
    postgres: postgresCheck(pool),
    'public-listener': () => (open ? { ok: true } : { ok: false, detail: 'not open yet' }),
  };
  registerProcessorGauges(registry, {
    inFlight: () => worker.inFlight(),
    silent: () => upkeep.silent(),
    outboxPending: () => relay.pending(),
  });
  const routes = createInternalRoutes({
    pool,
    db: pool,
    stripe,
    appender,
    processorTopic,
    secrets,
    clock,
    now: () => clock.now(),
    publicUrl,
    livemode,
    findConnection: findConnection.forPeople,
    connections,
    accountOf: (record) => accountOf(record, secrets),
    testWayIn: createTestWayIn({ secrets, clock }),
    readStanding: (record) => readConnectionStatus(pool, record),
    mayRead: () => gate.health().ok,
    mayWrite: () => gate.health().ok,
    onRetry: () => worker.wake(),
  });
  const adminPort = await startAdminListener(settings, {
    ...life,
    registry,
    checks,
    internal: { tokens: settings.internalTokens, router: createInternalRouter(routes, { logger }) },
  });

  await catalog.start();
  await projection.start();
  onStop('projection', () => projection.stop());
  const receiveRoute = createReceiveRoute({
    findConnection: findConnection.forEvents,
    secrets,
    livemode,
    wasSeen: createWasSeen({ pool }),
    append: (record) => appendRecords(appender, processorTopic, [record]),
    clock,
    logger,
    metrics,
    observe,
  });
  const app = createPublicApp({ receiveRoute, logger });
  const server = await listen({ app, host, port: settings.port, logger });
  onStop('public listener', () => server.stop());
  open = true;
  return { port: server.port, adminPort };
}

const migrationsDir = fileURLToPath(new URL('../migrations', import.meta.url));

import type { Topic } from '@tributary/contracts/topics';
import { createCatchUp } from '@tributary/event-log/catch-up';
import { connectDatabase } from '@tributary/event-log/connect-database';
import { connectLog, type Log } from '@tributary/event-log/connect-log';
import { followCatalog } from '@tributary/event-log/follow-catalog';
import { createRelay } from '@tributary/event-log/relay';
import { createProjection, type Projection } from '@tributary/event-log/projection';
import { topicSources } from '@tributary/event-log/topic-sources';
import { createAdminListener, everything, type Losses } from '@tributary/http/admin-listener';
import { createCatalogView } from '@tributary/http/catalog-view';
import { createInternalRouter } from '@tributary/http/internal-router';
import { createListener } from '@tributary/http/listener';
import type { MetricsRegistry } from '@tributary/http/metrics';
import { createRequestTimer } from '@tributary/http/request-observer';
import { createLife } from '@tributary/http/service-life';
import { systemClock } from '@tributary/runtime/clock';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import type pg from 'pg';
import { fileURLToPath } from 'node:url';
import { createPublicApp } from './http/public-app.ts';
import { createReceiveRoute } from './http/receive-route.ts';
import { appendRecords } from './log/append-records.ts';
import { createApplyRecords } from './log/apply-records.ts';
import type { StripeApi } from './stripe/api.ts';
import { createStripeApi } from './stripe/create-stripe-api.ts';
import { createPace } from './stripe/pace.ts';
import { takeTurn } from './db/take-turn.ts';
import type { ProcessorEventsSettings } from './config.ts';
import { accountOf } from './stripe/account-of.ts';
import { createTestWayIn } from './commands/test-way-in.ts';
import { createFindConnection } from './commands/find-connection.ts';
import { createInternalRoutes } from './http/internal-routes.ts';
import { readConnectionStatus } from './db/read-connection-status.ts';
import { createProcessorMetrics, type ProcessorMetrics } from './metrics.ts';
import type { Observe } from './test-hooks.ts';
import { type Asking, startAsking } from './start-asking.ts';
import { createStripeCalls } from './workers/stripe-calls.ts';
import { createWasSeen } from './db/was-seen.ts';

const service = 'processor-events';
const losses: Losses = {
  'public-listener': everything,
  kafka: "Stripe's events get 503, and it sends them again",
  postgres: 'operators get 503; nothing is derived from payments, and Stripe is not asked',
  projection: 'nothing is derived from the payments of partitions named there',
  catalog: 'what operators change has no effect yet',
};
const topicsUsed: readonly Topic[] = ['processor', 'events', 'catalog', 'deadLetters'];

/**
 * Builds and starts the service. Stripe's events are taken once the catalog has been read: before
 * that each would be of an unknown connection. They are taken without the database, too, and while
 * the log is being read; Stripe is asked for what is missing only after that.
 *
 * `observe` is for kill tests (see test-hooks.ts).
 */
export async function startProcessorEvents(
  settings: ProcessorEventsSettings,
  { logger, onStop, observe }: { logger: Logger; onStop: OnStop; observe?: Observe },
): Promise<{ port: number; adminPort: number }> {
  const { secrets, publicUrl } = settings;
  const clock = systemClock;
  const life = createLife({ service, logger, onStop });
  const metrics = createProcessorMetrics(life.registry);

  const pool = await connectDatabase(settings.postgres, { ...life, migrationsDir });

  const log = await connectLog(settings, { ...life, topicsUsed });
  const { kafka, appender, nameOf } = log;
  const processorTopic = nameOf('processor');
  await life.start('outbox', createRelay({ pool, appender, logger }));

  const catalogView = createCatalogView({ holds: ['processor-connection'] });
  const catalog = followCatalog(log, catalogView, life);
  const connectionOf = (connectionId: string) => catalogView.processorConnection(connectionId);
  const connections = () => catalogView.processorConnections();
  const becomeCurrent = () => catalog.becomeCurrent();
  const findConnection = createFindConnection({ connectionOf, becomeCurrent });

  const stripe = createStripe(settings, { pool, metrics });
  const asking = startAsking(life, {
    settings,
    pool,
    appender,
    processorTopic,
    connectionOf,
    connections,
    calls: createStripeCalls({ stripe, secrets }),
    metrics,
    // Without the catalog, which is read before the listener opens, nobody could be asked.
    caughtUp: async () => publicListener.health().ok && (await caughtUp()),
    observe,
  });
  const projection = createFold(settings, { pool, log, logger, asking, observe });
  const topics = [processorTopic];
  const caughtUp = createCatchUp({ kafka, pool, name: service, projection, topics });
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
    livemode: settings.environment === 'prod',
    findConnection: findConnection.forPeople,
    connections,
    accountOf: (record) => accountOf(record, secrets),
    testWayIn: createTestWayIn({ secrets, clock }),
    readHealth: (record) => readConnectionStatus(pool, record),
    mayRead: () => asking.isCaughtUp(),
    mayWrite: () => asking.isCaughtUp(),
    onRetry: () => asking.wake(),
  });
  const { registry } = life;
  const receiver = { pool, log, logger, registry, metrics, findConnection, observe };
  const app = createReceiver(settings, receiver);

  const router = createInternalRouter(routes, life);
  const adminListener = life.add(
    'admin-listener',
    createAdminListener(settings, { ...life, losses }, router),
  );
  life.add('projection', projection);
  const publicListener = life.add('public-listener', createListener(settings, { app, logger }));
  const adminPort = await adminListener.start();
  await catalog.start();
  await projection.start();
  return { port: await publicListener.start(), adminPort };
}

/** Stripe, asked at the pace that all processes share. */
function createStripe(
  { stripeUrl, stripeTimeoutMs, stripeRates }: ProcessorEventsSettings,
  { pool, metrics }: { pool: pg.Pool; metrics: ProcessorMetrics },
): StripeApi {
  return createStripeApi({
    url: stripeUrl,
    timeoutMs: stripeTimeoutMs,
    pace: createPace({
      rates: stripeRates,
      takeTurn: (request, options) => takeTurn(pool, request, options),
    }),
    onLimited: metrics.limited,
  });
}

/** What Stripe's events and answers come to, from the log into the tables. */
function createFold(
  { group, metadataTtlMs }: ProcessorEventsSettings,
  deps: { pool: pg.Pool; log: Log; logger: Logger; asking: Asking; observe: Observe | undefined },
): Projection {
  const { pool, log, logger, asking, observe } = deps;
  const { kafka, nameOf } = log;
  return createProjection({
    kafka,
    logger,
    pool,
    name: service,
    group,
    sources: topicSources(['processor'], nameOf),
    apply: createApplyRecords({ logger, eventsTopic: nameOf('events'), metadataTtlMs, observe }),
    deadLetterTopic: nameOf('deadLetters'),
    onCommitted: () => asking.wake(),
  });
}

/** Takes what Stripe sends. */
function createReceiver(
  { secrets, environment }: ProcessorEventsSettings,
  deps: {
    pool: pg.Pool;
    log: Log;
    logger: Logger;
    registry: MetricsRegistry;
    metrics: ProcessorMetrics;
    findConnection: ReturnType<typeof createFindConnection>;
    observe: Observe | undefined;
  },
): ReturnType<typeof createPublicApp> {
  const { pool, log, logger, registry, metrics, findConnection, observe } = deps;
  const receiveRoute = createReceiveRoute({
    findConnection: findConnection.forEvents,
    secrets,
    livemode: environment === 'prod',
    wasSeen: createWasSeen({ pool }),
    append: (record) => appendRecords(log.appender, log.nameOf('processor'), [record]),
    clock: systemClock,
    logger,
    metrics,
    observe,
  });
  return createPublicApp({ receiveRoute, observe: createRequestTimer(registry), logger });
}

export const migrationsDir = fileURLToPath(new URL('../migrations', import.meta.url));

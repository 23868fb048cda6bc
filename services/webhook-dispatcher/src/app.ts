import { catalogCodec } from '@tributary/contracts/catalog-record';
import { deliveryCodec, type DeliveryFact } from '@tributary/contracts/delivery-record';
import { issuanceCodec } from '@tributary/contracts/issuance-record';
import { recordKey, type Topic } from '@tributary/contracts/topics';
import { createCatchUp } from '@tributary/event-log/catch-up';
import { connectDatabase } from '@tributary/event-log/connect-database';
import { connectLog } from '@tributary/event-log/connect-log';
import { createRelay } from '@tributary/event-log/outbox';
import { createProjection, type Incoming, source } from '@tributary/event-log/projection';
import { createProjectionBarrier } from '@tributary/event-log/projection-barrier';
import { startWhenCaughtUp } from '@tributary/event-log/start-when-caught-up';
import { type Checks, startAdminListener } from '@tributary/http/admin-listener';
import { createInternalRouter } from '@tributary/http/internal-router';
import { createRegistry } from '@tributary/http/metrics';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { postgresCheck } from '@tributary/runtime/postgres';
import type { KeyRing } from '@tributary/runtime/secrets';
import type { KafkaSettings, PostgresSettings, TopicWiring } from '@tributary/runtime/variables';
import { fileURLToPath } from 'node:url';
import { createExchange, type ExchangeSettings } from './adapters/endpoint/exchange.ts';
import {
  createDeliverySender,
  type ServiceEnvironment,
} from './adapters/endpoint/send-delivery.ts';
import {
  applyRecords,
  catalogSource,
  deliveriesSource,
  issuancesSource,
} from './adapters/log/apply-records.ts';
import { leaveOutWritten } from './adapters/log/leave-out-written.ts';
import { restoreFacts } from './adapters/log/restore-facts.ts';
import { countEndpoints } from './adapters/postgres/count-endpoints.ts';
import { createWorkListener } from './adapters/postgres/listen-for-work.ts';
import { readBacklog } from './adapters/postgres/read-backlog.ts';
import { createClaimGate } from './claim-gate.ts';
import { createDatabaseClock } from './database-clock.ts';
import { createDeadWorkerSweep } from './dead-worker-sweep.ts';
import { createDeliveryWorker, type WorkerSettings } from './delivery-worker.ts';
import type { PortRange } from './domain/allowed-ports.ts';
import type { BreakerSettings } from './domain/breaker.ts';
import { createIntakeGate } from './intake-gate.ts';
import { createInternalRoutes } from './internal-routes.ts';
import { createDispatcherMetrics, registerDispatcherGauges } from './metrics.ts';
import type { Observe } from './moments.ts';
import { createResultWriter } from './result-writer.ts';
import { createUpkeep, type UpkeepSettings } from './upkeep.ts';
import { createWorkerLease } from './worker-lease.ts';

export type DispatcherSettings = {
  environment: ServiceEnvironment;
  host: string;
  adminPort: number;
  /** Accepted from other services; the first is also presented. */
  internalTokens: readonly string[];
  kafka: KafkaSettings;
  postgres: PostgresSettings;
  topics: TopicWiring;
  group: string;
  secrets: KeyRing;
  endpoints: Omit<ExchangeSettings, 'timeoutMs'> & { allowedPorts: readonly PortRange[] };
  worker: WorkerSettings;
  breaker: BreakerSettings;
  upkeep: Omit<UpkeepSettings, 'horizonMs'>;
  /** Between two looks for dead workers. */
  sweepMs: number;
  /** Deliveries that are due before the intake is held back. */
  backlogLimit: number;
  /** An endpoint with nothing but failures for so long is called failing. */
  failingAfterMs: number;
};

const service = 'webhook-dispatcher';
const topicsUsed: readonly Topic[] = ['issuances', 'deliveries', 'catalog', 'deadLetters'];

/**
 * Builds and starts the service. Stops are handed to `onStop` as things start, to be run in
 * reverse: first no more claims and what is under way ends, last the connections.
 *
 * `observe` is for kill tests and benchmarks (see moments.ts).
 */
export async function startDispatcher(
  settings: DispatcherSettings,
  { logger, onStop, observe }: { logger: Logger; onStop: OnStop; observe?: Observe },
): Promise<{ adminPort: number }> {
  const registry = createRegistry(service);
  const metrics = createDispatcherMetrics(registry);

  const { timeoutMs, leaseMs, horizonMs, name } = settings.worker;
  const life = { service, logger, onStop };
  const pool = await connectDatabase(settings.postgres, {
    ...life,
    migrationsDir,
    // All processes lock the rows of endpoints: one that stops between two statements is in the way
    // of everybody's results and intake until the server ends its transaction.
    idleInTransactionMs: Math.min(Math.round(leaseMs / 2), 5_000),
  });

  const { kafka, appender, nameOf } = await connectLog(settings, { ...life, topicsUsed });
  const deliveriesTopic = nameOf('deliveries');
  // Dead letters only: what becomes of deliveries goes straight to the log.
  const relay = createRelay({ pool, appender, logger });
  await relay.start();
  onStop('relay', () => relay.stop());

  const exchange = createExchange({ ...settings.endpoints, timeoutMs });
  onStop('connections to endpoints', () => exchange.close());
  const send = createDeliverySender({
    exchange,
    secrets: settings.secrets,
    environment: settings.environment,
    allowedPorts: settings.endpoints.allowedPorts,
  });

  const clock = createDatabaseClock();
  const lease = createWorkerLease({
    pool,
    logger,
    clock,
    name,
    leaseMs,
    timeoutMs,
    onRegistered: () => claims.readAgain(),
  });
  const results = createResultWriter({
    pool,
    logger,
    appender,
    deliveriesTopic,
    breaker: settings.breaker,
    overtaken: async (tx, facts) => void (await restoreFacts(tx, facts)),
    observe,
  });
  const worker = createDeliveryWorker({
    pool,
    logger,
    clock,
    metrics,
    lease,
    logAnswers: () => appender.health().ok && claims.health().ok,
    isUnread: ({ tenantId, webhookEventId }) =>
      claims.isUnread(deliveriesTopic, recordKey(tenantId, webhookEventId)),
    send,
    results,
    settings: settings.worker,
    observe,
  });

  const intakeGate = createIntakeGate({ pool, logger, limit: settings.backlogLimit });
  const projection = createProjection({
    kafka,
    logger,
    pool,
    name: service,
    group: settings.group,
    sources: [
      source(issuancesSource, nameOf('issuances'), issuanceCodec),
      source(deliveriesSource, deliveriesTopic, deliveryCodec),
      source(catalogSource, nameOf('catalog'), catalogCodec),
    ],
    apply: async (tx, batch) => {
      if (batch[0]?.source !== deliveriesSource) return applyRecords(tx, batch);
      await results.written(batch.map(eventIdOf));
      return applyRecords(tx, await leaveOutWritten(tx, batch, results.takeWritten));
    },
    deadLetterTopic: nameOf('deadLetters'),
    mayRead: (name) => intakeGate.mayRead(name),
  });
  await projection.start();
  onStop('projection', () => projection.stop());
  // Never of issuances, which only add to what is due: to wait for them would keep help away from
  // an overload, as the others may be holding them back.
  const catchUpWith = (topics: readonly string[]) =>
    createCatchUp({ kafka, pool, name: service, projection, topics });

  const sweep = createDeadWorkerSweep({
    pool,
    logger,
    createCatchUp: () => catchUpWith([deliveriesTopic]),
    deliveriesTopic,
    everyMs: settings.sweepMs,
    leaseMs,
    onFreed: (claims) => metrics.leasesExpired.inc(claims),
  });
  const upkeep = createUpkeep({
    pool,
    logger,
    appender,
    deliveriesTopic,
    metrics,
    settings: { ...settings.upkeep, horizonMs },
  });
  const listener = createWorkListener({
    settings: settings.postgres,
    applicationName: `${service}-wake-up`,
    logger,
    onWork: () => worker.wake(),
  });
  const claims = createClaimGate({
    logger,
    createCatchUp: () => catchUpWith([deliveriesTopic, nameOf('catalog')]),
    onOpen: () => worker.wake(),
  });
  onStop('claims', () => claims.stop());
  const gate = startWhenCaughtUp({
    logger,
    work: 'sending',
    caughtUp: catchUpWith([deliveriesTopic, nameOf('catalog')]),
    start: () => {
      lease.start();
      listener.start();
      worker.start();
      sweep.start();
      upkeep.start();
      intakeGate.start();
    },
  });
  onStop('worker', async () => {
    gate.stop();
    const [{ nothingClaimed }] = await Promise.all([
      worker.stop(),
      listener.stop(),
      sweep.stop(),
      upkeep.stop(),
      intakeGate.stop(),
    ]);
    await lease.stop({ nothingClaimed });
  });

  const endpointsBarrier = createProjectionBarrier({
    kafka,
    logger,
    pool: () => pool,
    name: service,
    topics: [nameOf('catalog')],
  });
  onStop('endpoints barrier', () => endpointsBarrier.stop());

  const { failingAfterMs } = settings;
  registerDispatcherGauges(registry, {
    readBacklog: () => readBacklog(pool),
    countEndpoints: () => countEndpoints(pool, { failingAfterMs }),
    inFlight: () => worker.inFlight(),
    isClosed: () => intakeGate.isClosed(),
    outboxPending: () => relay.pending(),
  });
  const routes = createInternalRoutes({
    pool,
    logger,
    appender,
    deliveriesTopic,
    send,
    metrics,
    mayWrite: () => gate.health().ok,
    becomeCurrent: () => endpointsBarrier.becomeCurrent(),
    failingAfterMs,
  });
  const checks: Checks = {
    'caught-up': () => gate.health(),
    kafka: () => appender.health(),
    projection: () => projection.health(),
    outbox: () => relay.health(),
    lease: () => lease.health(),
    claims: () => claims.health(),
    worker: () => worker.health(),
    postgres: postgresCheck(pool),
  };
  const adminPort = await startAdminListener(settings, {
    ...life,
    registry,
    checks,
    internal: { tokens: settings.internalTokens, router: createInternalRouter(routes, { logger }) },
  });
  return { adminPort };
}

function eventIdOf({ value }: Incoming): string {
  return (value as DeliveryFact | null)?.webhookEventId ?? '';
}

const migrationsDir = fileURLToPath(new URL('../migrations', import.meta.url));

import type { DeliveryFact } from '@tributary/contracts/delivery-record';
import type { Topic } from '@tributary/contracts/topics';
import { createCatchUp } from '@tributary/event-log/catch-up';
import { connectDatabase } from '@tributary/event-log/connect-database';
import { connectLog, type Log } from '@tributary/event-log/connect-log';
import { createRelay } from '@tributary/event-log/relay';
import { createProjection, type Incoming, type Projection } from '@tributary/event-log/projection';
import { createProjectionBarrier } from '@tributary/event-log/projection-barrier';
import { topicSources } from '@tributary/event-log/topic-sources';
import { createAdminListener, everything, type Losses } from '@tributary/http/admin-listener';
import { createInternalRouter } from '@tributary/http/internal-router';
import { createLife, type ServiceLife } from '@tributary/http/service-life';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import type { KeyRing } from '@tributary/runtime/secrets';
import { openTracer, type Tracer, type TraceSettings } from '@tributary/runtime/tracer';
import type { PostgresSettings, ServiceSettings } from '@tributary/runtime/variables';
import type pg from 'pg';
import { fileURLToPath } from 'node:url';
import { createExchange, type ExchangeSettings } from './endpoint/exchange.ts';
import {
  createDeliverySender,
  type SendDelivery,
  type ServiceEnvironment,
} from './endpoint/send-delivery.ts';
import {
  applyRecords,
  type BecameDue,
  deliveriesSource,
  issuancesSource,
} from './log/apply-records.ts';
import { leaveOutWritten } from './log/leave-out-written.ts';
import { restoreFacts } from './log/restore-facts.ts';
import { notifyDue } from './db/notify-due.ts';
import type { Claim } from './db/claim-deliveries.ts';
import { countEndpoints } from './db/count-endpoints.ts';
import { readBacklog } from './db/read-backlog.ts';
import type { WorkerSettings } from './workers/delivery-worker.ts';
import type { PortRange } from './domain/allowed-ports.ts';
import type { BreakerSettings } from './domain/breaker.ts';
import { createIntakeGate, type IntakeGate } from './workers/intake-gate.ts';
import { createInternalRoutes } from './http/internal-routes.ts';
import { createDispatcherMetrics, registerDispatcherGauges } from './metrics.ts';
import type { Observe } from './test-hooks.ts';
import { createResultWriter, type ResultWriter } from './workers/result-writer.ts';
import { startSending } from './start-sending.ts';
import type { MaintenanceSettings } from './workers/maintenance.ts';

export type DispatcherSettings = ServiceSettings & {
  environment: ServiceEnvironment;
  /** Accepted from other services; the first is also presented. */
  internalTokens: readonly string[];
  postgres: PostgresSettings;
  group: string;
  secrets: KeyRing;
  endpoints: Omit<ExchangeSettings, 'timeoutMs'> & { allowedPorts: readonly PortRange[] };
  worker: WorkerSettings;
  breaker: BreakerSettings;
  maintenance: Omit<MaintenanceSettings, 'horizonMs'>;
  /** Between two looks for dead workers. */
  sweepMs: number;
  /** Deliveries that are due before the intake is held back. */
  backlogLimit: number;
  /** An endpoint with nothing but failures for so long is called failing. */
  failingAfterMs: number;
  traces?: TraceSettings;
};

const service = 'webhook-dispatcher';
const losses: Losses = {
  postgres: everything,
  kafka: 'nothing is sent, and nothing new comes in',
  projection: 'what partitions named there hold is not sent',
};
const topicsUsed: readonly Topic[] = ['issuances', 'deliveries', 'catalog', 'deadLetters'];

/**
 * Builds and starts the service. It stops in reverse: first no more claims and what is under way
 * ends, last the connections.
 *
 * `observe` is for kill tests and benchmarks (see test-hooks.ts).
 */
export async function startDispatcher(
  settings: DispatcherSettings,
  { logger, onStop, observe }: { logger: Logger; onStop: OnStop; observe?: Observe },
): Promise<{ adminPort: number }> {
  const life = createLife({ service, logger, onStop });
  const tracer = await openTracer(settings.traces, life);
  const metrics = createDispatcherMetrics(life.registry);
  const pool = await connectDatabase(settings.postgres, {
    ...life,
    migrationsDir,
    // All processes lock the rows of endpoints: one that stops between two statements is in the way
    // of everybody's results and intake until the server ends its transaction.
    idleInTransactionMs: Math.min(Math.round(settings.worker.leaseMs / 2), 5_000),
  });
  const log = await connectLog(settings, { ...life, topicsUsed });
  const { kafka, appender, nameOf } = log;
  const deliveriesTopic = nameOf('deliveries');
  // What becomes of deliveries goes straight to the log.
  await life.start('outbox', createRelay({ pool, appender, logger }));

  const send = createSend(life, settings);
  const endedExchanges = new Set<Claim>();
  const started: { sending?: ReturnType<typeof startSending> } = {};
  const results = createResultWriter({
    pool,
    logger,
    appender,
    deliveriesTopic,
    breaker: settings.breaker,
    endedExchanges,
    claimMore: async (tx) => started.sending?.claimMore(tx),
    overtaken: async (tx, facts) => void (await restoreFacts(tx, facts)),
    observe,
  });
  const intakeGate = createIntakeGate({ pool, logger, limit: settings.backlogLimit });
  const becameDue: BecameDue = (tx, webhookEventIds) =>
    (started.sending?.becameDue ?? notifyDue)(tx, webhookEventIds);
  const intake = { pool, log, logger, results, intakeGate, becameDue, tracer };
  const projection = createIntake(settings, intake);
  await life.start('projection', projection);
  const sending = startSending(life, {
    settings,
    pool,
    appender,
    deliveriesTopic,
    send,
    results,
    endedExchanges,
    metrics,
    intakeGate,
    tracer,
    // Never of issuances, which only add to what is due: to wait for them would keep help away from
    // an overload, as the others may be holding them back.
    catchUpWith: (...topics) =>
      createCatchUp({ kafka, pool, name: service, projection, topics: topics.map(nameOf) }),
    observe,
  });
  started.sending = sending;

  const barrier = { kafka, logger, pool: () => pool, name: service, topics: [nameOf('catalog')] };
  const endpointsBarrier = life.add('endpoints-barrier', createProjectionBarrier(barrier));
  registerGauges(life, pool, settings);
  const routes = createInternalRoutes({
    pool,
    logger,
    appender,
    deliveriesTopic,
    send,
    metrics,
    mayWrite: () => sending.isCaughtUp(),
    becomeCurrent: () => endpointsBarrier.becomeCurrent(),
    failingAfterMs: settings.failingAfterMs,
    deliveryDays: settings.maintenance.deliveryDays,
  });
  const router = createInternalRouter(routes, life);
  const admin = createAdminListener(settings, { ...life, losses }, router);
  return { adminPort: await life.add('admin-listener', admin).start() };
}

function registerGauges(
  { registry }: ServiceLife,
  pool: pg.Pool,
  { failingAfterMs }: DispatcherSettings,
): void {
  registerDispatcherGauges(registry, {
    readBacklog: () => readBacklog(pool),
    countEndpoints: () => countEndpoints(pool, { failingAfterMs }),
  });
}

function createSend({ add }: ServiceLife, settings: DispatcherSettings): SendDelivery {
  const { timeoutMs } = settings.worker;
  const exchange = createExchange({ ...settings.endpoints, timeoutMs });
  add('connections to endpoints', { stop: () => exchange.close() });
  return createDeliverySender({
    exchange,
    secrets: settings.secrets,
    environment: settings.environment,
    allowedPorts: settings.endpoints.allowedPorts,
  });
}

/** What is to be sent, and what became of it, from the log into the tables. */
function createIntake(
  { group }: DispatcherSettings,
  deps: {
    pool: pg.Pool;
    log: Log;
    logger: Logger;
    results: ResultWriter;
    intakeGate: IntakeGate;
    becameDue: BecameDue;
    tracer: Tracer | undefined;
  },
): Projection {
  const { pool, log, logger, results, intakeGate, becameDue, tracer } = deps;
  return createProjection({
    kafka: log.kafka,
    logger,
    pool,
    name: service,
    group,
    sources: topicSources(['issuances', 'deliveries', 'catalog'], log.nameOf),
    apply: async (tx, batch) => {
      if (batch[0]?.source !== deliveriesSource) return applyRecords(tx, batch, becameDue);
      await results.written(batch.map(eventIdOf));
      return applyRecords(tx, await leaveOutWritten(tx, batch, results.takeWritten));
    },
    deadLetterTopic: log.nameOf('deadLetters'),
    // Mostly what was written here already.
    unhurried: { [deliveriesSource]: 250 },
    // Issuances come in the steps of the folds.
    gatherMs: 20,
    mayRead: (name) => intakeGate.mayRead(name),
    ...{ tracer, tracedSource: issuancesSource },
  });
}

function eventIdOf({ value }: Incoming): string {
  return (value as DeliveryFact | null)?.webhookEventId ?? '';
}

export const migrationsDir = fileURLToPath(new URL('../migrations', import.meta.url));

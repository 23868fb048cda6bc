import { recordKey, type Topic } from '@tributary/contracts/topics';
import type { Appender } from '@tributary/event-log/appender';
import type { CatchUp } from '@tributary/event-log/catch-up';
import { startWhenCaughtUp } from '@tributary/event-log/start-when-caught-up';
import type { ServiceLife } from '@tributary/http/service-life';
import type { Tracer } from '@tributary/runtime/tracer';
import type pg from 'pg';
import type { SendDelivery } from './endpoint/send-delivery.ts';
import { createWorkListener } from './db/listen-for-work.ts';
import type { DispatcherSettings } from './app.ts';
import { createClaimGate } from './workers/claim-gate.ts';
import { createDatabaseClock } from './workers/database-clock.ts';
import { createDeadWorkerSweep } from './workers/dead-worker-sweep.ts';
import { createDeliveryWorker, type DeliveryWorker } from './workers/delivery-worker.ts';
import type { IntakeGate } from './workers/intake-gate.ts';
import type { Claim } from './db/claim-deliveries.ts';
import type { DispatcherMetrics } from './metrics.ts';
import type { Observe } from './test-hooks.ts';
import type { ResultWriter } from './workers/result-writer.ts';
import { createUpkeep } from './workers/maintenance.ts';
import { createWorkerLease } from './workers/worker-lease.ts';

type Sending = {
  settings: Pick<DispatcherSettings, 'postgres' | 'worker' | 'maintenance' | 'sweepMs'>;
  pool: pg.Pool;
  appender: Appender;
  deliveriesTopic: string;
  send: SendDelivery;
  results: ResultWriter;
  endedExchanges: Set<Claim>;
  metrics: DispatcherMetrics;
  intakeGate: IntakeGate;
  tracer: Tracer | undefined;
  /** A new question on each call: has everything been applied that these topics hold by now? */
  catchUpWith: (...topics: Topic[]) => CatchUp;
  observe: Observe | undefined;
};

/**
 * Everything that sends, or looks after what is sent. It begins once the log has been read to its
 * end; the result says whether that is so now.
 */
export function startSending(
  life: ServiceLife,
  options: Sending,
): { isCaughtUp(): boolean } & Pick<DeliveryWorker, 'becameDue' | 'claimMore'> {
  const { logger } = life;
  const { settings, intakeGate, catchUpWith } = options;
  const { claims, lease, worker } = createWorker(life, options);
  const listener = createWorkListener({
    settings: settings.postgres,
    applicationName: `${life.service}-wake-up`,
    logger,
    onWork: () => worker.wake(),
  });
  const isCaughtUp = (): boolean => gate.health().ok;
  const others = [listener, ...createMaintenance(life, options, isCaughtUp), intakeGate];
  const gate = startWhenCaughtUp({
    logger,
    work: 'sending',
    caughtUp: catchUpWith('deliveries', 'catalog'),
    start() {
      for (const part of [lease, worker, ...others]) part.start();
    },
  });

  life.add('claims', claims);
  life.add('lease', { health: lease.health });
  life.add('worker', { health: worker.health, gauges: worker.gauges });
  life.add('intake', { gauges: intakeGate.gauges });
  life.add('caught-up', {
    health: gate.health,
    async stop() {
      gate.stop();
      const [ended] = await Promise.all([worker.stop(), ...others.map((part) => part.stop())]);
      await lease.stop(ended);
    },
  });
  const { becameDue, claimMore } = worker;
  return { isCaughtUp, becameDue, claimMore };
}

/** The worker with its lease, and what keeps it from claims before it knows what was sent. */
function createWorker(life: ServiceLife, options: Sending) {
  const { logger } = life;
  const { settings, pool, appender, deliveriesTopic, send, results, metrics, observe } = options;
  const { endedExchanges, tracer } = options;
  const { name, leaseMs, timeoutMs } = settings.worker;
  const clock = createDatabaseClock();
  const claims = createClaimGate({
    logger,
    createCatchUp: () => options.catchUpWith('deliveries', 'catalog'),
    onOpen: () => worker.wake(),
  });
  const lease = createWorkerLease({
    pool,
    logger,
    clock,
    name,
    leaseMs,
    timeoutMs,
    onRegistered: () => claims.readAgain(),
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
    endedExchanges,
    settings: settings.worker,
    tracer,
    observe,
  });
  return { claims, lease, worker };
}

function createMaintenance({ logger }: ServiceLife, options: Sending, isCaughtUp: () => boolean) {
  const { settings, pool, appender, deliveriesTopic, metrics, catchUpWith } = options;
  const sweep = createDeadWorkerSweep({
    pool,
    logger,
    createCatchUp: () => catchUpWith('deliveries'),
    deliveriesTopic,
    everyMs: settings.sweepMs,
    leaseMs: settings.worker.leaseMs,
    onFreed: (claims) => metrics.leasesExpired.inc(claims),
  });
  const maintenance = createUpkeep({
    pool,
    logger,
    appender,
    deliveriesTopic,
    metrics,
    isCaughtUp,
    settings: { ...settings.maintenance, horizonMs: settings.worker.horizonMs },
  });
  return [sweep, maintenance];
}

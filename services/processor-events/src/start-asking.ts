import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import type { Appender } from '@tributary/event-log/appender';
import { startWhenCaughtUp } from '@tributary/event-log/start-when-caught-up';
import type { ServiceLife } from '@tributary/http/service-life';
import type pg from 'pg';
import type { ProcessorEventsSettings } from './config.ts';
import { createFetchWorker } from './workers/fetch-worker.ts';
import type { ProcessorMetrics } from './metrics.ts';
import type { Observe } from './test-hooks.ts';
import type { StripeCalls } from './workers/stripe-calls.ts';
import { createMaintenance } from './workers/maintenance.ts';

export type Asking = {
  /** Whether the log has been read to its end. */
  isCaughtUp(): boolean;
  /** Something may be due. */
  wake(): void;
};

/** Everything that asks Stripe by itself. It begins once the log has been read to its end. */
export function startAsking(
  life: ServiceLife,
  options: {
    settings: Pick<ProcessorEventsSettings, 'fetches' | 'maintenance'>;
    pool: pg.Pool;
    appender: Appender;
    processorTopic: string;
    connectionOf: (connectionId: string) => ProcessorConnectionRecord | undefined;
    connections: () => readonly ProcessorConnectionRecord[];
    calls: StripeCalls;
    metrics: ProcessorMetrics;
    caughtUp: () => Promise<boolean>;
    observe: Observe | undefined;
  },
): Asking {
  const { logger } = life;
  const { settings, pool, calls, connections, caughtUp } = options;
  const worker = createFetchWorker({
    ...options,
    logger,
    mayAsk: () => gate.health().ok,
    fetch: calls.fetch,
    settings: settings.fetches,
    onOutcome: options.metrics.fetched,
  });
  const maintenance = createMaintenance({
    pool,
    logger,
    connections,
    removeEndpoint: calls.removeEndpoint,
    settings: settings.maintenance,
  });
  const gate = startWhenCaughtUp({
    logger,
    work: 'questions to the payment processor',
    caughtUp,
    start() {
      worker.start();
      maintenance.start();
    },
  });
  life.add('worker', { health: worker.health, gauges: worker.gauges });
  life.add('maintenance', { gauges: maintenance.gauges });
  life.add('caught-up', {
    health: gate.health,
    async stop() {
      gate.stop();
      await Promise.all([worker.stop(), maintenance.stop()]);
    },
  });
  return { isCaughtUp: () => gate.health().ok, wake: () => worker.wake() };
}

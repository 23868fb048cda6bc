import { gaugesOf, sharedLook } from '@tributary/http/metrics';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import {
  breakerStates,
  countedStatuses,
  type EndpointCounts,
} from './adapters/postgres/count-endpoints.ts';
import { type Backlog, backlogClasses } from './adapters/postgres/read-backlog.ts';
import type { Judgement } from './domain/outcome.ts';

/** What this process did, counted as it happens. */
export type DispatcherMetrics = {
  attempted(attempt: { judgement: Judgement; durationMs: number }): void;
  /** Claims of workers that died. */
  leasesExpired: { inc(count: number): void };
  expired: { inc(count: number): void };
  resent: { inc(count: number): void };
  attemptsDeleted: { inc(count: number): void };
};

/** No label names a tenant or an endpoint: their number has no bound. */
export function createDispatcherMetrics(registry: Registry): DispatcherMetrics {
  const registers = [registry];
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'Delivery attempts by how they ended.',
    labelNames: ['delivered', 'result', 'status_class'] as const,
    registers,
  });
  const duration = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: 'Time of one exchange with an endpoint.',
    labelNames: ['delivered'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  return {
    attempted({ judgement, durationMs }) {
      const delivered = String(judgement.delivered);
      const { result, statusCode } = judgement;
      attempts.inc({ delivered, result, status_class: statusClass(statusCode) });
      duration.observe({ delivered }, durationMs / 1_000);
    },
    leasesExpired: counter(
      'webhook_leases_expired_total',
      'Claims whose process died or hung before it wrote a result.',
    ),
    expired: counter(
      'webhook_expired_total',
      'Deliveries whose horizon passed while nothing could be sent.',
    ),
    resent: counter('webhook_resent_total', 'Rounds that operators asked for.'),
    attemptsDeleted: counter(
      'webhook_attempts_deleted_total',
      'Rows of the attempts log that were older than is kept.',
    ),
  };
}

/** An endpoint answers with any number it likes; few classes of them mean anything. */
function statusClass(statusCode: number | undefined): string {
  if (statusCode === undefined) return 'none';
  const hundreds = Math.floor(statusCode / 100);
  return hundreds >= 1 && hundreds <= 5 ? `${hundreds}xx` : 'other';
}

/** Read when somebody asks for the metrics; one look at a table serves all of its gauges. */
export function registerGauges(
  registry: Registry,
  sources: {
    readBacklog: () => Promise<Backlog>;
    countEndpoints: () => Promise<EndpointCounts>;
    /** Deliveries that this process is sending. */
    inFlight: () => number;
    /** The intake gate. */
    isClosed: () => boolean;
    outboxPending: () => Promise<number>;
  },
): void {
  const gauge = gaugesOf(registry);
  const backlog = sharedLook(sources.readBacklog);
  const endpoints = sharedLook(sources.countEndpoints);

  labelledGauge(registry, {
    name: 'webhook_due',
    help: 'Deliveries that are due and not being sent, by what they wait for.',
    label: 'class',
    values: backlogClasses,
    read: async () => mapRecord(await backlog(), ({ due }) => due),
  });
  labelledGauge(registry, {
    name: 'webhook_due_oldest_seconds',
    help: 'How long the oldest due delivery has waited, by what it waits for.',
    label: 'class',
    values: backlogClasses,
    read: async () => mapRecord(await backlog(), ({ oldestDueSeconds }) => oldestDueSeconds),
  });
  labelledGauge(registry, {
    name: 'webhook_endpoints',
    help: 'Endpoints by status.',
    label: 'status',
    values: countedStatuses,
    read: async () => (await endpoints()).byStatus,
  });
  labelledGauge(registry, {
    name: 'webhook_breakers',
    help: 'Breakers of active endpoints by state.',
    label: 'state',
    values: breakerStates,
    read: async () => (await endpoints()).byBreaker,
  });
  gauge(
    'webhook_endpoints_failing',
    'Active endpoints that nothing reached for days.',
    async () => {
      return (await endpoints()).failing;
    },
  );
  gauge('webhook_claimed', 'Deliveries being sent by all processes.', async () => {
    return (await endpoints()).inFlight;
  });
  gauge('webhook_in_flight', 'Deliveries being sent by this process.', sources.inFlight);
  gauge('webhook_intake_held_back', '1 while issuances wait on the log.', () =>
    Number(sources.isClosed()),
  );
  gauge('webhook_outbox_pending', 'Dead letters not yet on the log.', sources.outboxPending);
}

function labelledGauge<V extends string>(
  registry: Registry,
  about: {
    name: string;
    help: string;
    label: string;
    values: readonly V[];
    read: () => Promise<Record<V, number>>;
  },
): void {
  const { name, help, label, values, read } = about;
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    async collect() {
      try {
        const found = await read();
        for (const value of values) this.set({ [label]: value }, found[value]);
      } catch {
        // The database has a health check of its own.
      }
    },
  });
}

function mapRecord<K extends string, T>(
  map: ReadonlyMap<K, T>,
  toNumber: (value: T) => number,
): Record<K, number> {
  const entries = [...map].map(([key, value]) => [key, toNumber(value)]);
  return Object.fromEntries(entries) as Record<K, number>;
}

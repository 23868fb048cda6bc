import { Counter, Histogram, type Registry } from 'prom-client';
import type { RouteName } from './adapters/http/public-app.ts';
import type { SessionMoment } from './adapters/http/session-route.ts';

export type WidgetMetrics = {
  answered(route: RouteName, status: number, seconds: number): void;
  session(moment: SessionMoment): void;
};

/** No label names a tenant or a user: their number has no bound. */
export function createWidgetMetrics(registry: Registry): WidgetMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Answers by route and status.',
    labelNames: ['route', 'status'] as const,
    registers,
  });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the request line to the end of the answer.',
    labelNames: ['route'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const sessions = new Counter({
    name: 'widget_sessions_total',
    help: 'Sessions asked for with a good token, by what became of them.',
    labelNames: ['outcome'] as const,
    registers,
  });
  const written = new Counter({
    name: 'widget_session_records_total',
    help: 'What sessions brought to the log: a code, a person, a recovered signup.',
    labelNames: ['record'] as const,
    registers,
  });
  const faults = new Counter({
    name: 'widget_token_faults_total',
    help: 'Widget tokens that were refused, by what was wrong with them.',
    labelNames: ['fault'] as const,
    registers,
  });
  return {
    answered(route, status, seconds) {
      requests.inc({ route, status: String(status) });
      duration.observe({ route }, seconds);
    },
    session(moment) {
      if (moment.outcome === 'fault') return faults.inc({ fault: moment.fault });
      sessions.inc({ outcome: moment.outcome });
      if (moment.outcome !== 'session') return;
      for (const record of moment.wrote) written.inc({ record });
    },
  };
}

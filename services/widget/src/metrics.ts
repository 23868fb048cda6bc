import { Counter, type Registry } from 'prom-client';
import type { SessionMoment } from './adapters/http/session-route.ts';

export type WidgetMetrics = {
  session(moment: SessionMoment): void;
};

/** No label names a tenant or a user: their number has no bound. */
export function createWidgetMetrics(registry: Registry): WidgetMetrics {
  const registers = [registry];
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
    session(moment) {
      if (moment.outcome === 'fault') return faults.inc({ fault: moment.fault });
      sessions.inc({ outcome: moment.outcome });
      if (moment.outcome !== 'session') return;
      for (const record of moment.wrote) written.inc({ record });
    },
  };
}

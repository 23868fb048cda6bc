import { counter, createMetrics, type MetricsRegistry } from '@tributary/http/metrics';
import type { FaultFound } from '@tributary/http/widget-claims';
import type { OpenedSession } from './domain/opened-session.ts';

/** For the metrics and the log; nothing of it is told to the caller. */
export type SessionResult = FaultFound | OpenedSession;

export type WidgetMetrics = {
  session(result: SessionResult): void;
};

export function createWidgetMetrics(registry: MetricsRegistry): WidgetMetrics {
  const metrics = createMetrics(registry, {
    tributary_widget_sessions_total: counter(
      'Sessions asked for with a good token, by what became of them.',
      ['outcome'],
    ),
    tributary_widget_session_records_total: counter(
      'What sessions brought to the log: a code, a person, a recovered signup.',
      ['record'],
    ),
    tributary_widget_token_faults_total: counter(
      'Widget tokens that were refused, by what was wrong with them.',
      ['fault'],
    ),
  });
  return {
    session(result) {
      if (result.outcome === 'fault')
        return metrics.tributary_widget_token_faults_total.inc({ fault: result.fault });
      metrics.tributary_widget_sessions_total.inc({ outcome: result.outcome });
      if (result.outcome !== 'session') return;
      for (const record of result.wrote)
        metrics.tributary_widget_session_records_total.inc({ record });
    },
  };
}

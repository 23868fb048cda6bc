import { type Static, Type } from '@sinclair/typebox';
import { processVariables } from '@tributary/runtime/variables';
import type { EdgeMetricsSettings } from './app.ts';

const { TRIBUTARY_HOST, TRIBUTARY_ADMIN_PORT, TRIBUTARY_LOG_LEVEL } = processVariables;

/** The variables of this service; the keys are their names. */
export const EdgeMetricsConfig = Type.Object({
  TRIBUTARY_HOST,
  TRIBUTARY_ADMIN_PORT,
  TRIBUTARY_LOG_LEVEL,
  /** Where the edge's nginx answers with its stub_status. */
  TRIBUTARY_EDGE_STATUS_URL: Type.String({
    default: 'http://127.0.0.1:8081/',
    pattern: '^http://127\\.0\\.0\\.1:[0-9]+/$',
    expected: 'http://127.0.0.1:PORT/',
  }),
});
export type EdgeMetricsConfig = Static<typeof EdgeMetricsConfig>;

export function edgeMetricsSettings(config: EdgeMetricsConfig): EdgeMetricsSettings {
  return {
    host: config.TRIBUTARY_HOST,
    adminPort: config.TRIBUTARY_ADMIN_PORT,
    statusUrl: config.TRIBUTARY_EDGE_STATUS_URL,
  };
}

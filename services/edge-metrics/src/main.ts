import { loadConfig } from '@tributary/runtime/config';
import { runService } from '@tributary/runtime/lifecycle';
import { createLogger } from '@tributary/runtime/logger';
import { startEdgeMetrics } from './app.ts';
import { EdgeMetricsConfig, edgeMetricsSettings } from './config.ts';

const service = 'edge-metrics';
const config = loadConfig(EdgeMetricsConfig, process.env, service);
const logger = createLogger({ service, level: config.TRIBUTARY_LOG_LEVEL });

runService({
  logger,
  start: async (onStop) => {
    await startEdgeMetrics(edgeMetricsSettings(config), { logger, onStop });
  },
});

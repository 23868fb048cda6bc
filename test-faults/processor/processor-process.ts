import { loadConfig } from '@tributary/runtime/config';
import { runService } from '@tributary/runtime/lifecycle';
import { createLogger } from '@tributary/runtime/logger';
import { startProcessorEvents } from '../../services/processor-events/src/app.ts';
import {
  ProcessorEventsConfig,
  type ProcessorEventsSettings,
  processorEventsSettings,
} from '../../services/processor-events/src/config.ts';
import type { TestHook } from '../../services/processor-events/src/test-hooks.ts';
import { mergeSettings } from '../merge-settings.ts';
import { obeyOrders } from '../obey-orders.ts';

/**
 * processor-events as production starts it, that ends or waits at a test hook as ordered. What has
 * no variable comes as JSON.
 */
const service = 'processor-events';
const config = loadConfig(ProcessorEventsConfig, process.env, service);
const logger = createLogger({ service, level: config.TRIBUTARY_LOG_LEVEL });
const changes = JSON.parse(process.env['TEST_SETTINGS'] ?? '{}') as Record<string, unknown>;
const settings = mergeSettings(processorEventsSettings(config), changes) as ProcessorEventsSettings;

const { tell, observe } = obeyOrders<TestHook>();

runService({
  logger,
  stopTimeoutMs: 20_000,
  start: async (onStop) => {
    const { adminPort } = await startProcessorEvents(settings, { logger, onStop, observe });
    await tell({ adminPort });
  },
});

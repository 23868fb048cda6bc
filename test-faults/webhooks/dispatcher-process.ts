import { loadConfig } from '@tributary/runtime/config';
import { runService } from '@tributary/runtime/lifecycle';
import { createLogger } from '@tributary/runtime/logger';
import {
  type DispatcherSettings,
  startDispatcher,
} from '../../services/webhook-dispatcher/src/app.ts';
import {
  dispatcherSettings,
  WebhookDispatcherConfig,
} from '../../services/webhook-dispatcher/src/config.ts';
import { mergeSettings } from '../merge-settings.ts';
import { obeyOrders } from '../obey-orders.ts';
import type { TestHook } from './orders.ts';

/**
 * A dispatcher as production starts it, that ends, sleeps or waits at a test hook as ordered. Its
 * variables are the service's; what has no variable (breaker, lease, schedule) comes as JSON.
 */
const service = 'webhook-dispatcher';
const config = loadConfig(WebhookDispatcherConfig, process.env, service);
const logger = createLogger({ service, level: config.TRIBUTARY_LOG_LEVEL });
const changes = JSON.parse(process.env['TEST_SETTINGS'] ?? '{}') as Record<string, unknown>;
const settings = mergeSettings(dispatcherSettings(config), changes) as DispatcherSettings;

const { tell, observe } = obeyOrders<TestHook>();

runService({
  logger,
  stopTimeoutMs: settings.worker.timeoutMs + 10_000,
  start: async (onStop) => {
    const { adminPort } = await startDispatcher(settings, { logger, onStop, observe });
    await tell({ adminPort });
  },
});

import { loadConfig } from '@tributary/runtime/config';
import { runService } from '@tributary/runtime/lifecycle';
import { createLogger } from '@tributary/runtime/logger';
import { keepYoungObjectsYoung } from '@tributary/runtime/young-objects';
import { startDispatcher } from './app.ts';
import { dispatcherSettings, WebhookDispatcherConfig } from './config.ts';

const service = 'webhook-dispatcher';
const config = loadConfig(WebhookDispatcherConfig, process.env, service);
const logger = createLogger({ service, level: config.TRIBUTARY_LOG_LEVEL });

keepYoungObjectsYoung();
runService({
  logger,
  // What is under way has its timeout, then its result is recorded and written.
  stopTimeoutMs: config.TRIBUTARY_WEBHOOK_TIMEOUT_MS + 15_000,
  start: async (onStop) => {
    await startDispatcher(dispatcherSettings(config), { logger, onStop });
  },
});

import { loadConfig } from '@tributary/runtime/config';
import { runService } from '@tributary/runtime/lifecycle';
import { createLogger } from '@tributary/runtime/logger';
import { startProcessorEvents } from './app.ts';
import { ProcessorEventsConfig, processorEventsSettings } from './config.ts';

const service = 'processor-events';
const config = loadConfig(ProcessorEventsConfig, process.env, service);
const logger = createLogger({ service, level: config.TRIBUTARY_LOG_LEVEL });

runService({
  logger,
  // A question to Stripe has its timeout, then its answer is appended. The stack waits for 25 s.
  stopTimeoutMs: 24_000,
  start: async (onStop) => {
    await startProcessorEvents(processorEventsSettings(config), { logger, onStop });
  },
});

import { loadConfig } from '@tributary/runtime/config';
import { runService } from '@tributary/runtime/lifecycle';
import { createLogger } from '@tributary/runtime/logger';
import { startLegacyEvents } from './app.ts';
import { LegacyEventsConfig, legacyEventsSettings } from './config.ts';

const service = 'legacy-events';
const config = loadConfig(LegacyEventsConfig, process.env, service);
const logger = createLogger({ service, level: config.TRIBUTARY_LOG_LEVEL });

runService({
  logger,
  start: async (onStop) => {
    await startLegacyEvents(legacyEventsSettings(config), { logger, onStop });
  },
});

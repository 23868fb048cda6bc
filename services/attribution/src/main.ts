import { loadConfig } from '@tributary/runtime/config';
import { runService } from '@tributary/runtime/lifecycle';
import { createLogger } from '@tributary/runtime/logger';
import { startAttribution } from './app.ts';
import { AttributionConfig, attributionSettings } from './config.ts';

const service = 'attribution';
const config = loadConfig(AttributionConfig, process.env, service);
const logger = createLogger({ service, level: config.TRIBUTARY_LOG_LEVEL });

runService({
  logger,
  start: async (onStop) => {
    await startAttribution(attributionSettings(config), { logger, onStop });
  },
});

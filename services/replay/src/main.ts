import { loadConfig } from '@tributary/runtime/config';
import { runService } from '@tributary/runtime/lifecycle';
import { createLogger } from '@tributary/runtime/logger';
import { startReplay } from './app.ts';
import { ReplayConfig, replaySettings } from './config.ts';

const service = 'replay';
const config = loadConfig(ReplayConfig, process.env, service);
const logger = createLogger({ service, level: config.TRIBUTARY_LOG_LEVEL });

runService({
  logger,
  start: async (onStop) => {
    await startReplay(replaySettings(config), { logger, onStop });
  },
});

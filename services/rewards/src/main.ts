import { loadConfig } from '@tributary/runtime/config';
import { runService } from '@tributary/runtime/lifecycle';
import { createLogger } from '@tributary/runtime/logger';
import { startRewards } from './app.ts';
import { RewardsConfig, rewardsSettings } from './config.ts';

const service = 'rewards';
const config = loadConfig(RewardsConfig, process.env, service);
const logger = createLogger({ service, level: config.TRIBUTARY_LOG_LEVEL });

runService({
  logger,
  start: async (onStop) => {
    await startRewards(rewardsSettings(config), { logger, onStop });
  },
});

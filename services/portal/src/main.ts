import { loadConfig } from '@tributary/runtime/config';
import { runService } from '@tributary/runtime/lifecycle';
import { createLogger } from '@tributary/runtime/logger';
import { startPortal } from './app.ts';
import { PortalConfig, portalSettings } from './config.ts';

const service = 'portal';
const config = loadConfig(PortalConfig, process.env, service);
const logger = createLogger({ service, level: config.TRIBUTARY_LOG_LEVEL });

runService({
  logger,
  start: async (onStop) => {
    await startPortal(portalSettings(config), { logger, onStop });
  },
});

import { loadConfig } from '@tributary/runtime/config';
import { runService } from '@tributary/runtime/lifecycle';
import { createLogger } from '@tributary/runtime/logger';
import { startWidget } from './app.ts';
import { WidgetConfig, widgetSettings } from './config.ts';

const service = 'widget';
const config = loadConfig(WidgetConfig, process.env, service);
const logger = createLogger({ service, level: config.TRIBUTARY_LOG_LEVEL });

runService({
  logger,
  // Requests under way have their append deadline, then their answer goes out.
  stopTimeoutMs: config.TRIBUTARY_APPEND_DEADLINE_MS + 20_000,
  start: async (onStop) => {
    await startWidget(widgetSettings(config), { logger, onStop });
  },
});

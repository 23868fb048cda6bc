import { loadConfig } from '@tributary/runtime/config';
import { runService } from '@tributary/runtime/lifecycle';
import { createLogger } from '@tributary/runtime/logger';
import { keepYoungObjectsYoung } from '@tributary/runtime/young-objects';
import { startIngestApi } from './app.ts';
import { IngestApiConfig, ingestSettings } from './config.ts';

const service = 'ingest-api';
const config = loadConfig(IngestApiConfig, process.env, service);
const logger = createLogger({ service, level: config.TRIBUTARY_LOG_LEVEL });

keepYoungObjectsYoung();
runService({
  logger,
  // Requests under way have their append deadline, then their answer goes out.
  stopTimeoutMs: config.TRIBUTARY_APPEND_DEADLINE_MS + 20_000,
  start: async (onStop) => {
    await startIngestApi(ingestSettings(config), { logger, onStop });
  },
});

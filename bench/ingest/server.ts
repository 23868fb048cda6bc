import { createAppender } from '@tributary/event-log/appender';
import { loadConfig } from '@tributary/runtime/config';
import { runService } from '@tributary/runtime/lifecycle';
import { createLogger } from '@tributary/runtime/logger';
import { keepYoungObjectsYoung } from '@tributary/runtime/young-objects';
import { startIngestApi } from '../../services/ingest-api/src/app.ts';
import { IngestApiConfig, ingestSettings } from '../../services/ingest-api/src/config.ts';
import { createAwaitedAppender, createNoAppender } from './awaited-appender.ts';

/** ingest-api as production builds it, with one of three ways to append: `node server.ts MODE`. */
const appenders = {
  gathered: createAppender,
  awaited: createAwaitedAppender,
  'no-kafka': createNoAppender,
};

const makeAppender = appenders[process.argv[2] as keyof typeof appenders];
const config = loadConfig(IngestApiConfig, process.env, 'ingest-api');
const logger = createLogger({ service: 'ingest-api', level: config.TRIBUTARY_LOG_LEVEL });

keepYoungObjectsYoung();
runService({
  logger,
  start: async (onStop) => {
    await startIngestApi(ingestSettings(config), { logger, onStop, makeAppender });
  },
});

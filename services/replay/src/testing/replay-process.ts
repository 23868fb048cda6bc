import { runService } from '@tributary/runtime/lifecycle';
import { createLogger } from '@tributary/runtime/logger';
import { startReplay } from '../app.ts';
import type { ReplaySettings } from '../settings.ts';

/** A replica of the service with the kinds of testing/kinds.ts, to be killed. */
const settings = JSON.parse(process.argv[2] ?? '') as ReplaySettings;
const logger = createLogger({ service: 'replay', level: settings.logLevel });
const kindsUrl = new URL('./kinds.ts', import.meta.url).href;

runService({
  logger,
  start: async (onStop) => {
    const { adminPort } = await startReplay(settings, { logger, onStop, kindsUrl });
    process.send?.({ adminPort });
  },
});

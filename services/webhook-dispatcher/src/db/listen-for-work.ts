import type { Logger } from '@tributary/runtime/logger';
import { connectionConfig, quoteIdentifier } from '@tributary/runtime/postgres-connection';
import type { PostgresSettings } from '@tributary/runtime/variables';
import pg from 'pg';
import { dueChannelPrefix } from './notify-due.ts';

/**
 * Hears what {@link notifyDue} says, on a connection of its own that is made anew when it breaks.
 */
export type WorkListener = { start(): void; stop(): Promise<void> };

export function createWorkListener(options: {
  settings: PostgresSettings;
  applicationName: string;
  logger: Logger;
  onWork: () => void;
  reconnectMs?: number;
}): WorkListener {
  const { settings, applicationName, logger, onWork, reconnectMs = 1_000 } = options;
  const config: pg.ClientConfig = {
    ...connectionConfig(settings, { searchPath: [settings.schema], applicationName }),
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  };
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function connect(): Promise<void> {
    const fresh = new pg.Client(config);
    client = fresh;
    fresh.on('error', () => undefined);
    fresh.on('notification', onWork);
    fresh.once('end', connectLater);
    try {
      await fresh.connect();
      await fresh.query(`listen ${quoteIdentifier(dueChannelPrefix + settings.schema)}`);
      // What was said while nobody listened.
      onWork();
    } catch (error) {
      if (stopped) return;
      logger.warn('no notifications of work; it is polled', { error: (error as Error).message });
      void fresh.end().catch(() => undefined);
      connectLater();
    }
  }

  function connectLater(): void {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(() => void connect(), reconnectMs);
  }

  return {
    start: () => void connect(),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await client?.end().catch(() => undefined);
    },
  };
}

import { fileURLToPath } from 'node:url';

/** The tables of this package (`projection_position`, `outbox`); first in a service's `migrate`. */
export const eventLogMigrations = {
  dir: fileURLToPath(new URL('../migrations', import.meta.url)),
  table: 'migration_event_log',
};

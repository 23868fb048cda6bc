import { createLogger } from '../../packages/runtime/src/logger.ts';
import { migrateService, type MigratedService } from './migrate-service.ts';

/** A job before an upgrade: makes the tables of one service those of this release, and ends. */
const [name = ''] = process.argv.slice(2);
const isService = (service: string): service is MigratedService =>
  Object.hasOwn(migrateService, service);
if (!isService(name)) {
  const known = Object.keys(migrateService).join(' | ');
  process.stderr.write(`usage: node deploy/migrations/migrate.ts ${known}\n`);
  process.exit(2);
}
const logger = createLogger({ service: 'migrate', level: 'info' });
await migrateService[name](process.env, logger);
logger.info('the tables are those of this release', { service: name });

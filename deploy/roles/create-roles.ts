import { loadConfig } from '../../packages/runtime/src/config.ts';
import { createLogger } from '../../packages/runtime/src/logger.ts';
import { postgresTlsSettings, redisTlsCa } from '../../packages/runtime/src/variables.ts';
import { ensurePasswords } from '../local/service-passwords.ts';
import { applyPostgresRoles } from './apply-postgres.ts';
import { applyRedisUsers, checkRedisUsers } from './apply-redis.ts';
import { checkPostgresRoles } from './check-postgres.ts';
import { RolesConfig } from './config.ts';
import { printStatements } from './print-statements.ts';

/**
 * Makes the services' principals in Postgres and Redis (`--apply`), says what differs from the
 * table (`--check`, which ends with code 1 if anything does), or prints what a database
 * administrator would run (`--print`, which connects to nothing).
 */
const service = 'create-roles';
const [mode = ''] = process.argv.slice(2);
if (!['--apply', '--check', '--print'].includes(mode)) {
  process.stderr.write('usage: node deploy/roles/create-roles.ts --apply | --check | --print\n');
  process.exit(2);
}
const config = loadConfig(RolesConfig, process.env, service);
const logger = createLogger({ service, level: 'warn' });
const prefix = config.TRIBUTARY_ROLE_PREFIX;
const admin = { url: config.TRIBUTARY_POSTGRES_URL, ...postgresTlsSettings(config) };
const redisUrl = config.TRIBUTARY_REDIS_URL;

if (mode === '--print') console.log(printStatements(prefix, new URL(admin.url).pathname.slice(1)));
else {
  const passwords = ensurePasswords(config.TRIBUTARY_PASSWORDS_FILE);
  const redis = redisUrl && {
    admin: { url: redisUrl, ...redisTlsCa(config) },
    ...{ prefix, passwords: passwords.redis, logger },
  };
  if (mode === '--apply') {
    await applyPostgresRoles({ admin, prefix, passwords: passwords.postgres, logger });
    for (const warning of redis ? await applyRedisUsers(redis) : []) console.warn(warning);
  }
  const mistakes = [
    ...(await checkPostgresRoles({ admin, prefix })),
    ...(redis ? await checkRedisUsers(redis) : []),
  ];
  for (const mistake of mistakes) console.log(mistake);
  if (mistakes.length === 0)
    console.log('every principal has the rights of the table, and no others');
  process.exitCode = mistakes.length === 0 ? 0 : 1;
}

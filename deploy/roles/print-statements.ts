import { databaseStatements, registryStatements, roleStatements } from './postgres-statements.ts';
import { nobody, redisRules } from './redis-users.ts';
import { type RedisPrincipal, redisTable, roleName } from './roles-table.ts';

/** For psql and redis-cli, in order; what stands for passwords is to be filled in. */
export function printStatements(prefix: string, database: string): string {
  const roles = roleStatements(prefix, (principal) => `<password of ${principal}>`);
  const users = (Object.keys(redisTable) as RedisPrincipal[]).map((principal) => {
    const rules = redisRules(principal, '').map((rule) =>
      rule.startsWith('#') ? `'#<sha256 of the password of ${principal}>'` : `'${rule}'`,
    );
    return `ACL SETUSER ${roleName(prefix, principal)} ${rules.join(' ')}`;
  });
  return [
    '-- Postgres, as superuser, in this database',
    ...[...roles, ...databaseStatements(prefix, database)].map((text) => `${text};`),
    '-- once the service replay has started, which makes these tables',
    ...registryStatements(prefix).map((text) => `${text};`),
    '',
    '# Redis',
    ...users,
    `ACL SETUSER ${nobody}`,
    'ACL SAVE',
  ].join('\n');
}

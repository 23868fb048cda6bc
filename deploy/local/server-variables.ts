import { defaultRolePrefix, postgresTable, redisTable, roleName } from '../roles/roles-table.ts';
import type { ServicePasswords } from './service-passwords.ts';
import type { ServiceName } from './service-table.ts';
import type { Servers } from './service-variables.ts';

/** How one service reaches the servers: where they are, and who it is there. */
export function serverVariables(
  service: ServiceName,
  { servers, passwords }: { servers: Servers; passwords: ServicePasswords },
): Record<string, string> {
  const { kafkaBrokers, postgresUrl, redisUrl } = servers;
  const urls: Record<string, string> = { TRIBUTARY_KAFKA_BROKERS: kafkaBrokers };
  if (isRow(postgresTable, service)) {
    urls['TRIBUTARY_POSTGRES_URL'] = asUser(postgresUrl, service, passwords.postgres[service]);
  }
  if (service === 'portal') {
    const principal = 'portal-read-model';
    const password = passwords.postgres[principal];
    urls['TRIBUTARY_READ_MODEL_POSTGRES_URL'] = asUser(postgresUrl, principal, password);
  }
  if (isRow(redisTable, service)) {
    urls['TRIBUTARY_REDIS_URL'] = asUser(redisUrl, service, passwords.redis[service]);
  }
  return urls;
}

function isRow<K extends string>(table: Record<K, unknown>, name: string): name is K {
  return Object.hasOwn(table, name);
}

function asUser(url: string, principal: string, password: string): string {
  const own = new URL(url);
  own.username = roleName(defaultRolePrefix, principal);
  own.password = password;
  return own.href;
}

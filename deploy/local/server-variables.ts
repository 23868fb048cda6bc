import type { ServicePasswords } from './service-passwords.ts';
import type { ServiceName } from './service-table.ts';
import type { Servers } from './service-variables.ts';

/** How one service reaches the servers: where they are, and who it is there. */
export function serverVariables(
  _service: ServiceName,
  { servers }: { servers: Servers; passwords: ServicePasswords },
): Record<string, string> {
  return {
    TRIBUTARY_KAFKA_BROKERS: servers.kafkaBrokers,
    TRIBUTARY_POSTGRES_URL: servers.postgresUrl,
    TRIBUTARY_REDIS_URL: servers.redisUrl,
  };
}

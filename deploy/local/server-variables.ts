import type { KafkaPrincipal } from '../../packages/contracts/src/topic-rights.ts';
import { defaultUsers, userOf } from '../topics/apply-rights.ts';
import type { ServicePasswords } from './service-passwords.ts';
import type { ServiceName } from './service-table.ts';
import type { Servers } from './service-variables.ts';

type Given = { servers: Servers; passwords: ServicePasswords };

/** How one service reaches the servers: where they are, and who it is there. */
export function serverVariables(
  service: ServiceName,
  { servers, passwords }: Given,
): Record<string, string> {
  return {
    ...kafkaVariablesOf(service, { servers, passwords }),
    TRIBUTARY_POSTGRES_URL: servers.postgresUrl,
    TRIBUTARY_REDIS_URL: servers.redisUrl,
  };
}

/** How a service or a tool reaches Kafka. */
export function kafkaVariablesOf(
  principal: KafkaPrincipal,
  { servers, passwords }: Given,
): Record<string, string> {
  const { mechanism, username, password } = saslOf(principal, passwords);
  return {
    TRIBUTARY_KAFKA_BROKERS: servers.kafkaBrokers,
    TRIBUTARY_KAFKA_SASL_MECHANISM: mechanism,
    TRIBUTARY_KAFKA_SASL_USERNAME: username,
    TRIBUTARY_KAFKA_SASL_PASSWORD: password,
  };
}

/** Who it is for the brokers of this deployment. */
export function saslOf(principal: KafkaPrincipal, { kafka }: ServicePasswords) {
  const username = userOf(principal, { users: defaultUsers });
  return { mechanism: 'scram-sha-512', username, password: kafka[principal] } as const;
}

/** Who may do everything; the brokers have this one from their settings. */
export function adminSasl({ kafka }: ServicePasswords) {
  return { mechanism: 'plain', username: kafkaAdmin, password: kafka.admin } as const;
}

export const kafkaAdmin = 'admin';

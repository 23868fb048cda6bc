import type { KafkaPrincipal } from '../../packages/contracts/src/topic-rights.ts';
import { defaultRolePrefix, postgresTable, redisTable, roleName } from '../roles/roles-table.ts';
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
  const { postgresUrl, redisUrl, caFile } = servers;
  const urls = kafkaVariablesOf(service, { servers, passwords });
  if (isRow(postgresTable, service)) {
    urls['TRIBUTARY_POSTGRES_URL'] = asUser(postgresUrl, service, passwords.postgres[service]);
    Object.assign(urls, tlsVariables('POSTGRES', caFile));
  }
  if (service === 'portal') {
    const principal = 'portal-read-model';
    const password = passwords.postgres[principal];
    urls['TRIBUTARY_READ_MODEL_POSTGRES_URL'] = asUser(postgresUrl, principal, password);
  }
  if (isRow(redisTable, service)) {
    urls['TRIBUTARY_REDIS_URL'] = asUser(redisUrl, service, passwords.redis[service]);
    if (caFile !== undefined) urls['TRIBUTARY_REDIS_TLS_CA_FILE'] = caFile;
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
    ...tlsVariables('KAFKA', servers.caFile),
  };
}

export function tlsVariables(
  server: 'KAFKA' | 'POSTGRES',
  caFile: string | undefined,
): Record<string, string> {
  if (caFile === undefined) return {};
  return { [`TRIBUTARY_${server}_TLS`]: 'true', [`TRIBUTARY_${server}_TLS_CA_FILE`]: caFile };
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

/** How often each topic is kept on so many brokers: of three, one may be lost. */
export function topicCopies(brokers: number): Record<string, string> {
  return {
    TRIBUTARY_TOPIC_REPLICATION: String(Math.min(brokers, 3)),
    TRIBUTARY_TOPIC_MIN_INSYNC: brokers < 3 ? '1' : '2',
  };
}

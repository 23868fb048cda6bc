import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { topicPartitions } from '../../packages/contracts/src/topics.ts';
import { writeSecretFile } from '../demo/demo-file.ts';
import { redisAclFile } from '../roles/redis-users.ts';
import { defaultRolePrefix } from '../roles/roles-table.ts';
import { ensureSecrets } from '../local/deployment-secrets.ts';
import { defaultPorts } from '../local/ports.ts';
import { serverVariables } from '../local/server-variables.ts';
import { ensurePasswords } from '../local/service-passwords.ts';
import { serviceTable } from '../local/service-table.ts';
import {
  deploymentVariables,
  pickVariables,
  stripeAccessFrom,
} from '../local/service-variables.ts';
import { accessProperties } from '../../packages/native-servers/src/kafka-access.ts';
import { adminSasl, kafkaAdmin, kafkaVariablesOf } from '../local/server-variables.ts';
import { variablesDir, writeEnvFile } from './env-file.ts';

/**
 * The first job of docker-compose.yml: makes the secrets of this deployment once, on its volume,
 * and writes for each service a file with its variables, on a volume that no other service sees.
 */
const secrets = ensureSecrets('/deployment/secrets.json');
const passwords = ensurePasswords('/deployment/passwords.json');

// Read by the postgres image as a user of its own.
writeFileSync(join(variablesDir, 'postgres/password'), secrets.postgresPassword, { mode: 0o644 });

const servers = {
  kafkaBrokers: 'kafka:9092',
  redisUrl: 'redis://redis:6379',
  postgresUrl: `postgresql://postgres:${secrets.postgresPassword}@postgres:5432/tributary`,
};
const values = deploymentVariables({
  internal: {
    attributionUrl: `http://attribution:${defaultPorts.attributionAdmin}`,
    rewardsUrl: `http://rewards:${defaultPorts.rewardsAdmin}`,
    webhookDispatcherUrl: `http://webhook-dispatcher:${defaultPorts.webhookDispatcherAdmin}`,
    replayUrl: `http://replay:${defaultPorts.replayAdmin}`,
    processorEventsUrl: `http://processor-events:${defaultPorts.processorEventsAdmin}`,
  },
  // The demo receiver, in whichever private range the engine took for the network of this project.
  receivers: {
    networks: '172.16.0.0/12,192.168.0.0/16,10.0.0.0/8',
    ports: `80,443,8080,8443,${defaultPorts.demoReceiver}`,
  },
  stripe: stripeAccessFrom(process.env, `http://edge:${defaultPorts.edge}`),
  secrets,
  places: { replayDir: '/data' },
});
for (const row of serviceTable) {
  const variables = {
    ...pickVariables(
      { ...values, ...serverVariables(row.name, { servers, passwords }) },
      row.schema,
    ),
    ...('port' in row ? { TRIBUTARY_PORT: defaultPorts[row.port] } : {}),
    TRIBUTARY_ADMIN_PORT: defaultPorts[row.adminPort],
  };
  writeEnvFile(row.name, variables);
}
writeEnvFile('roles', {
  TRIBUTARY_POSTGRES_URL: servers.postgresUrl,
  TRIBUTARY_PASSWORDS_FILE: join(variablesDir, 'roles/passwords.json'),
});
writeSecretFile(join(variablesDir, 'roles/passwords.json'), passwords);
// Digests of passwords, and a user that the health check is, read by redis as a user of its own.
const redisUsers = redisAclFile(defaultRolePrefix, passwords.redis);
const health = 'user health on nopass resetkeys resetchannels -@all +ping\n';
writeFileSync(join(variablesDir, 'redis/users.acl'), redisUsers + health, { mode: 0o644 });

writeEnvFile('topics', {
  ...kafkaVariablesOf('topics', { servers, passwords }),
  TRIBUTARY_TOPIC_REPLICATION: '1',
  TRIBUTARY_TOPIC_MIN_INSYNC: '1',
  TRIBUTARY_TOPIC_PARTITIONS: String(topicPartitions),
});
writeEnvFile('demo-receiver', {
  TRIBUTARY_HOST: '0.0.0.0',
  TRIBUTARY_PORT: defaultPorts.demoReceiver,
  TRIBUTARY_DEMO_WEBHOOK_KEY: secrets.demoWebhookKey,
  TRIBUTARY_DEMO_RECEIVED_FILE: '/data/received.jsonl',
});

// What the image of Kafka adds its variables to; both files are its user's, who has our number.
const access = accessProperties(
  { user: kafkaAdmin, password: passwords.kafka.admin },
  { clientListeners: ['INSIDE', 'HOST'] },
);
const lines = Object.entries(access).map(([name, value]) => `${name}=${value}\n`);
writeFileSync(join(variablesDir, 'kafka/server.properties'), lines.join(''), { mode: 0o600 });
copyFileSync('deploy/compose/kafka/log4j2.yaml', join(variablesDir, 'kafka/log4j2.yaml'));

// The job that makes Kafka's users and what they may do, as its administrator.
const admin = adminSasl(passwords);
writeEnvFile('rights', {
  TRIBUTARY_KAFKA_BROKERS: servers.kafkaBrokers,
  TRIBUTARY_KAFKA_SASL_MECHANISM: admin.mechanism,
  TRIBUTARY_KAFKA_SASL_USERNAME: admin.username,
  TRIBUTARY_KAFKA_SASL_PASSWORD: admin.password,
});
const { admin: _own, ...others } = passwords.kafka;
const text = `${JSON.stringify(others, null, 2)}\n`;
writeFileSync(join(variablesDir, 'rights/passwords.json'), text, { mode: 0o600 });

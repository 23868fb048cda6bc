import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKafka } from '@tributary/event-log/kafka';
import { createLogger } from '@tributary/runtime/logger';
import { applyRights, defaultUsers, givenAcls } from '../topics/apply-rights.ts';
import { adminSasl } from './server-variables.ts';
import type { ServicePasswords } from './service-passwords.ts';
import type { Servers } from './service-variables.ts';
import type { StateDir } from './state-dir.ts';

const naming = { users: defaultUsers, topics: '' };

/**
 * Makes the users and permissions of the local broker those of this release. They are in the log of
 * the cluster: where that has what this would give it, nothing is asked.
 */
export async function ensureKafkaRights(
  state: StateDir,
  { kafkaBrokers, caFile }: Pick<Servers, 'kafkaBrokers' | 'caFile'>,
  passwords: ServicePasswords,
): Promise<void> {
  const file = join(state.data, 'kafka', 'rights-given');
  const wanted = digestOf(passwords);
  if (existsSync(file) && readFileSync(file, 'utf8') === wanted) return;
  const kafka = createKafka({
    settings: {
      ...{ brokers: kafkaBrokers.split(','), sasl: adminSasl(passwords) },
      ...(caFile !== undefined && { tls: { ca: readFileSync(caFile, 'utf8') } }),
    },
    clientId: 'rights',
    logger: createLogger({ service: 'rights', level: 'silent' }),
  });
  await applyRights(kafka, naming, { mechanism: 'scram-sha-512', of: passwords.kafka });
  // Never through what the broker may have put there.
  rmSync(file, { force: true });
  writeFileSync(file, wanted, { flag: 'wx', mode: 0o600 });
}

/** The passwords have 256 random bits each: nobody finds them by their digest. */
function digestOf({ kafka }: ServicePasswords): string {
  const text = JSON.stringify([givenAcls(naming), kafka]);
  return createHash('sha256').update(text).digest('base64url');
}

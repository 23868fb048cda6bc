import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKafka } from '@tributary/event-log/kafka';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { createAuthority } from '@tributary/native-servers/certificates';
import { startKafka } from '@tributary/native-servers/kafka';
import { createLogger } from '@tributary/runtime/logger';
import { applyRights, defaultUsers } from '../../topics/apply-rights.ts';
import { randomPorts } from '../ports.ts';
import { createPasswords } from '../service-passwords.ts';

/**
 * Part of the set-up: runs a broker as `npm start` does, once, and keeps the classes that it loaded
 * for the starts to come. An empty file says that this Java cannot do it.
 */
const [archive = ''] = process.argv.slice(2);
const dir = mkdtempSync(join(tmpdir(), 'tributary-kafka-archive-'));
const draft = `${archive}.${process.pid}.new`;
const patienceMs = 120_000;
try {
  const isKept = await runOnce();
  if (isKept) renameSync(draft, archive);
  else writeFileSync(archive, '');
} finally {
  rmSync(draft, { force: true });
  rmSync(dir, { recursive: true, force: true });
}

async function runOnce(): Promise<boolean> {
  const { kafka: port, kafkaController: controllerPort } = await randomPorts();
  const password = randomBytes(24).toString('base64url');
  const tls = createAuthority({ days: 1, now: new Date() }).issue('kafka', ['127.0.0.1']);
  const { promise: ended, resolve } = Promise.withResolvers<unknown>();
  const server = await startKafka({
    ...{ dir, port, controllerPort, tls, admin: { user: 'admin', password } },
    archiveTo: draft,
    onUnexpectedExit: resolve,
  });
  const kafka = createKafka({
    settings: {
      brokers: [server.brokers],
      tls: { ca: tls.authority },
      sasl: { mechanism: 'plain', username: 'admin', password },
    },
    clientId: 'archive',
    logger: createLogger({ service: 'archive', level: 'silent' }),
  });
  const logger = createLogger({ service: 'archive', level: 'silent' });
  const { kafka: of } = createPasswords();
  const naming = { users: defaultUsers, topics: '' };
  await applyRights(kafka, naming, { mechanism: 'scram-sha-512', of });
  const wiring = { prefix: '', generation: 1, replication: 1, minInsync: 1 };
  await createTopics({ kafka, topics: topicSpecs(wiring), logger });
  // Writing it takes longer than a stop may.
  process.kill(server.pid, 'SIGTERM');
  const late = setTimeout(resolve, patienceMs);
  await ended;
  clearTimeout(late);
  await server.stop();
  return existsSync(draft) && statSync(draft).size > 0;
}

import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { startKafka } from '@tributary/native-servers/kafka';
import { freePorts } from './free-port.ts';
import { freshDirectory } from './native-test-servers.ts';

/** Takes nobody without a password, and allows nothing by itself; always a native broker. */
export async function startAuthorizingKafka() {
  const [port = 0, controllerPort = 0] = await freePorts(2);
  const dir = await freshDirectory('kafka');
  const admin = { user: 'admin', password: randomBytes(24).toString('base64url') };
  const server = await startKafka({ dir, port, controllerPort, admin });
  const { brokers } = server;
  const sasl = (user: string, password: string, mechanism: Mechanism = 'scram-sha-512') => {
    return { mechanism, username: user, password };
  };
  return {
    brokers,
    controllerPort,
    /** Who may do everything. */
    admin: { kafkaBrokers: brokers, kafkaSasl: sasl(admin.user, admin.password, 'plain') },
    /** As one of its users. */
    as: (user: string, password: string, mechanism?: Mechanism) => {
      return { kafkaBrokers: brokers, kafkaSasl: sasl(user, password, mechanism) };
    },
    async stop() {
      await server.kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

type Mechanism = 'plain' | 'scram-sha-256' | 'scram-sha-512';

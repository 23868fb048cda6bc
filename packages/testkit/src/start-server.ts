import { chooseInfrastructure } from './infrastructure.ts';
import type { ServerKind, TestServer } from './test-server.ts';

export async function startServer(kind: ServerKind): Promise<TestServer> {
  if ((await chooseInfrastructure()) === 'docker') return (await docker()).startInDocker(kind);
  return (await native()).startNative(kind);
}

/** Two brokers of one Kafka cluster; the first holds the controller and is stopped last. */
export async function startKafkaPair(): Promise<[TestServer, TestServer]> {
  if ((await chooseInfrastructure()) === 'docker') return (await docker()).startDockerKafkaPair();
  return (await native()).startNativeKafkaPair();
}

// Loaded when needed: testcontainers alone takes a second.
async function docker() {
  process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true'; // see docker-leftovers.ts
  return import('./docker-test-servers.ts');
}

async function native() {
  return import('./native-test-servers.ts');
}

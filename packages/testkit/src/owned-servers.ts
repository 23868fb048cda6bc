import { startKafkaPair, startServer } from './start-server.ts';
import type { ServerKind, TestServer } from './test-server.ts';

/**
 * A server for one test that may kill, restart and pause it. The test stops it in its `after`.
 */
export function startOwned(kind: ServerKind): Promise<TestServer> {
  return startServer(kind);
}

/**
 * Two brokers: a topic whose only replica sits on the second loses its leader when that is killed.
 */
export function startOwnedKafkaPair(): Promise<[TestServer, TestServer]> {
  return startKafkaPair();
}

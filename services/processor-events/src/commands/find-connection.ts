import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';

/** A connection from the catalog view, disconnected ones too. */
export type FindConnection = (
  connectionId: string,
) => Promise<ProcessorConnectionRecord | undefined> | ProcessorConnectionRecord | undefined;

/**
 * Two ways to look a connection up. Stripe's events are many and are answered from memory; a
 * connection that is not active there may be a moment old, so it is refused only after the catalog
 * has been read to its end. People's requests come right after they changed something, and always
 * wait for that (docs/decisions/0022).
 */
export function createFindConnection(options: {
  connectionOf: (connectionId: string) => ProcessorConnectionRecord | undefined;
  becomeCurrent: () => Promise<unknown>;
}): { forEvents: FindConnection; forPeople: FindConnection } {
  const { connectionOf, becomeCurrent } = options;

  async function forPeople(connectionId: string) {
    await becomeCurrent();
    return connectionOf(connectionId);
  }

  return {
    forEvents(connectionId) {
      const found = connectionOf(connectionId);
      return found?.status === 'active' ? found : forPeople(connectionId);
    },
    forPeople,
  };
}

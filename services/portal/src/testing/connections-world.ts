import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import { secretContext } from '@tributary/contracts/secret-context';
import { openSecret } from '@tributary/runtime/secrets';
import { queryOnce } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { startProcessorListener } from './processor-listener.ts';
import { startTestPortal } from './test-portal.ts';

export const apiKey = 'rk_test_canary0123456789';
export const by = 'olga@ops';
export const away = { problem: 'SERVICE_UNAVAILABLE', detail: 'Stripe does not answer.' } as const;
export const refused = { problem: 'CONFLICT', detail: 'Stripe rejects the API key.' } as const;

export type ConnectionsWorld = Awaited<ReturnType<typeof startConnectionsWorld>>;

/** A portal with who listens where it asks processor-events; each test has a tenant of its own. */
export async function startConnectionsWorld() {
  const processor = await startProcessorListener();
  const portal = await startTestPortal({ processorUrl: processor.url });
  let tenants = 0;
  const tenantId = () => `tenant-${tenants}`;

  const list = () => `/api/tenants/${tenantId()}/processor-connections`;
  const connect = (body: object = { apiKey }) => portal.call('POST', list(), body);
  const tell = (id: string, verb: string, body?: unknown) =>
    portal.call('POST', `${list()}/${id}/${verb}`, body);
  const shown = async (id: string) => (await portal.call('GET', `${list()}/${id}`)).body;
  const listed = async () =>
    (await portal.call('GET', list())).body['connections'] as Record<string, unknown>[];
  const connected = async (body?: object): Promise<string> => {
    const answer = await connect(body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return String(answer.body['connectionId']);
  };
  const recordsUpTo = (version: number) =>
    eventually(() => {
      const found = portal.catalog.filter(
        (record): record is ProcessorConnectionRecord =>
          record.entity === 'processor-connection' && record.tenantId === tenantId(),
      );
      expect(found.map((record) => record.version)).to.deep.equal(
        Array.from({ length: version }, (_, i) => i + 1),
      );
      return found;
    });
  const open = (
    sealed: string | null | undefined,
    use: 'processor-api-key' | 'processor-signing-secret',
  ) => openSecret(portal.keyRings['processor-keys'], sealed ?? '', secretContext(tenantId(), use));
  const secretOf = (endpoint: { sealedSecret: string } | null | undefined) =>
    open(endpoint?.sealedSecret, 'processor-signing-secret');

  const inTables = (sql: string) =>
    queryOnce({ connectionString: portal.postgresUrl, options: '-c search_path=portal' }, sql);

  /** Whoever asks it is kept waiting until it is let go. */
  function hold(verb: string): { reached: Promise<void>; letGo: () => void } {
    const reached = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    processor.whenAsked(async (asked) => {
      if (asked !== verb) return;
      reached.resolve();
      await go.promise;
    });
    return { reached: reached.promise, letGo: () => go.resolve() };
  }

  return {
    ...{ portal, processor, tenantId, list, connect, tell, shown, listed, connected },
    ...{ recordsUpTo, open, secretOf, inTables, hold },
    async nextTenant() {
      processor.forget();
      portal.clock.run();
      tenants += 1;
      await portal.call('POST', '/api/tenants', { tenantId: tenantId(), name: 'Acme' });
    },
    async stop() {
      await portal.stop();
      await processor.stop();
    },
  };
}

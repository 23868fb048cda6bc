import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createTributaryClient } from '../../packages/client/src/client.ts';
import { type AdminClient, AdminApiError, createAdminClient } from '../demo/admin-client.ts';
import type { DemoTenant } from '../demo/demo-file.ts';
import { provision } from '../demo/provision.ts';
import { createReceiver } from '../demo-receiver/receiver.ts';
import type { Code } from '../upgrade-drill/customers.ts';
import { addresses } from './cluster/addresses.ts';
import { until } from './cluster/until.ts';
import type { ClusterServers } from './servers.ts';

const referrersEach = 25;

export type Customers = {
  admin: AdminClient;
  tenants: readonly DemoTenant[];
  clients: Record<string, ReturnType<typeof createTributaryClient>>;
  codes: readonly Code[];
  receivedFile: string;
  stop(): void;
};

/** The demo's customers, set up through the edge, and their endpoint in this process. */
export async function setUpCustomers(options: {
  baseUrl: string;
  stateDir: string;
  servers: ClusterServers;
  signal: AbortSignal;
}): Promise<Customers> {
  const { baseUrl, stateDir, servers, signal } = options;
  const { operatorToken, demoWebhookKey: webhookKey } = servers.secrets;
  const receivedFile = join(stateDir, 'received.jsonl');
  const receiver = createReceiver({ webhookKey, file: receivedFile });
  await new Promise<void>((resolve) => receiver.listen(0, addresses.machine, resolve));
  const { port } = receiver.address() as { port: number };
  const receiverUrl = `http://${addresses.machine}:${port}`;
  const admin = patient(createAdminClient({ baseUrl, token: operatorToken }), signal);
  await until('the portal answers', { deadlineMs: 60_000, signal }, () =>
    admin.call('GET', '/api/tenants'),
  );
  const tenants = await provision({
    ...{ admin, webhookKey, file: join(stateDir, 'provisioned.json') },
    receiver: { webhookBaseUrl: receiverUrl, receivedBaseUrl: receiverUrl },
    // Nobody visits it.
    shopUrl: `${receiverUrl}/shop`,
  });
  return {
    ...{ admin, tenants, receivedFile },
    clients: Object.fromEntries(
      tenants.map((tenant) => [tenant.tenantId, clientOf(tenant, baseUrl)]),
    ),
    codes: await makeCodes(admin, tenants),
    stop() {
      receiver.closeAllConnections();
      receiver.close();
    },
  };
}

/** Asks again where there was no answer, or a 5xx: all that is done here may be done twice. */
function patient(admin: AdminClient, signal: AbortSignal): AdminClient {
  const isForNow = (error: unknown) =>
    error instanceof AdminApiError && (error.status === 0 || error.status >= 500);
  return {
    async call<T>(...request: Parameters<AdminClient['call']>) {
      for (let left = 10; ; left--) {
        try {
          return await admin.call<T>(...request);
        } catch (error) {
          if (!isForNow(error) || left === 0) throw error;
          await delay(500, undefined, { signal });
        }
      }
    },
  };
}

function clientOf({ accessKeyId, secretAccessKey }: DemoTenant, baseUrl: string) {
  return createTributaryClient({ baseUrl, accessKeyId, secretAccessKey });
}

/** What one recipient earns is decided one after the other: many recipients can be many at once. */
async function makeCodes(admin: AdminClient, tenants: readonly DemoTenant[]): Promise<Code[]> {
  const wanted = tenants.flatMap(({ tenantId, campaignId }) =>
    Array.from({ length: referrersEach }, (_, i) => ({ tenantId, campaignId, i })),
  );
  const codes: Code[] = [];
  const lane = async () => {
    for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
      const { tenantId, campaignId, i } = next;
      const body = { productUserId: `referrer-${i}`, campaignId };
      const path = `/api/tenants/${tenantId}/codes`;
      const { ucc } = await admin.call<{ ucc: string }>('POST', path, body);
      codes.push({ tenantId, ucc });
    }
  };
  await Promise.all(Array.from({ length: 4 }, lane));
  // The same order in every run, whoever was quicker.
  return codes.sort((a, b) => (a.ucc < b.ucc ? -1 : 1));
}

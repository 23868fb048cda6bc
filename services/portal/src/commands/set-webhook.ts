import { catalogSchemaVersion } from '@tributary/contracts/catalog-record';
import { secretContext } from '@tributary/contracts/secret-context';
import { inTransaction } from '@tributary/runtime/postgres';
import { openSecret, sealSecret } from '@tributary/runtime/secrets';
import { lockTenant } from '../adapters/postgres/tenants.ts';
import { putWebhookEndpoint, readWebhookEndpoint } from '../adapters/postgres/webhook-endpoints.ts';
import type { Deployment } from './deployment.ts';
import { publishCatalog } from './publish.ts';
import { randomSecret } from './random-secret.ts';

export type Webhook = { url: string; username: string; password: string };

/**
 * Where a tenant's reward webhooks go. Credentials that are not given stay as they are; the first
 * time they are made here. What is already so is no change.
 */
export async function setWebhook(
  deployment: Deployment,
  tenantId: string,
  wish: { url: string; username?: string; password?: string },
): Promise<Webhook | undefined> {
  const { pool, clock, keyRing, randomId } = deployment;
  const context = secretContext(tenantId, 'webhook-password');

  return inTransaction(pool, async (tx) => {
    if (!(await lockTenant(tx, tenantId))) return undefined;
    const present = await readWebhookEndpoint(tx, tenantId);
    const presentPassword = present && openSecret(keyRing, present.sealedPassword, context);
    const webhook: Webhook = {
      url: wish.url,
      username: wish.username ?? present?.username ?? `tributary-${randomId(8)}`,
      password: wish.password ?? presentPassword ?? randomSecret(32),
    };
    const { url, username, password } = webhook;
    if (present?.url === url && present.username === username && presentPassword === password) {
      return webhook;
    }

    const at = clock.now();
    const sealedPassword = sealSecret(keyRing, password, context);
    const endpoint = { url, username, sealedPassword, status: 'active' as const };
    const version = await putWebhookEndpoint(tx, tenantId, endpoint, at);
    await publishCatalog(tx, deployment, [
      {
        ...endpoint,
        schemaVersion: catalogSchemaVersion,
        entity: 'webhook-endpoint',
        tenantId,
        version,
        publishedAt: at.toISOString(),
      },
    ]);
    return webhook;
  });
}

import { secretContext } from '@tributary/contracts/secret-context';
import { openSecret, sealSecret } from '@tributary/runtime/secrets';
import { lockTenant } from '../db/tenants.ts';
import { readWebhookEndpoint } from '../db/webhook-endpoints.ts';
import { changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { randomSecret } from './random-secret.ts';
import { storeWebhook } from './store-webhook.ts';

export type Webhook = { url: string; username: string; password: string };

/**
 * Where a tenant's reward webhooks go. Credentials that are not given stay as they are; the first
 * time they are made here. Given ones hold at once, also where rotated ones overlap. What is
 * already so is no change, and the status stays as it is.
 */
export async function setWebhook(
  deployment: Deployment,
  tenantId: string,
  input: { url: string; username?: string; password?: string },
): Promise<Webhook | undefined> {
  const { clock, keyRing, randomId } = deployment;
  const context = secretContext(tenantId, 'webhook-password');

  return changeCatalog(deployment, async (tx) => {
    if (!(await lockTenant(tx, tenantId))) return undefined;
    const present = await readWebhookEndpoint(tx, tenantId);
    const presentPassword = present && openSecret(keyRing, present.sealedPassword, context);
    const webhook: Webhook = {
      url: input.url,
      username: input.username ?? present?.username ?? `tributary-${randomId(8)}`,
      password: input.password ?? presentPassword ?? randomSecret(32),
    };
    const { url, username, password } = webhook;
    const keepsCredentials = present?.username === username && presentPassword === password;
    if (keepsCredentials && present.url === url) return webhook;

    const endpoint = {
      url,
      username,
      sealedPassword: sealSecret(keyRing, password, context),
      previous: keepsCredentials ? present.previous : undefined,
      status: present?.status ?? 'active',
      reason: present?.reason,
      changedBy: present?.changedBy,
    };
    await storeWebhook(tx, deployment, tenantId, endpoint, clock.now());
    return webhook;
  });
}

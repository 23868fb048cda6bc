import { lockTenant } from '../db/tenants.ts';
import { readWebhookEndpoint } from '../db/webhook-endpoints.ts';
import { changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { randomSecret } from './random-secret.ts';
import { open, seal } from './sealing.ts';
import { storeWebhook } from './store-webhook.ts';

/** A password is shown once, by the request that made it. */
export type Webhook = { url: string; username: string; password?: string };

export type SetWebhookOutcome =
  | { outcome: 'set'; webhook: Webhook }
  /** The address is another one, and no password came with it. */
  | { outcome: 'needs-password' }
  | { outcome: 'no-tenant' };

/**
 * Where a tenant's reward webhooks go. Credentials that are not given stay as they are; the first
 * time they are made here. Given ones hold at once, also where rotated ones overlap. What is
 * already so is no change, and the status stays as it is.
 *
 * A password goes to the address that it was entered for and to no other: who may change an address
 * does not thereby learn the password that is sent there. Neither are overlapping credentials.
 */
export async function setWebhook(
  deployment: Deployment,
  tenantId: string,
  input: { url: string; username?: string; password?: string; by: string },
): Promise<SetWebhookOutcome> {
  const { clock, randomId } = deployment;
  const { url } = input;

  return changeCatalog(deployment, async (tx): Promise<SetWebhookOutcome> => {
    if (!(await lockTenant(tx, tenantId))) return { outcome: 'no-tenant' };
    const present = await readWebhookEndpoint(tx, tenantId);
    const isElsewhere = present !== undefined && present.url !== url;
    if (isElsewhere && input.password === undefined) return { outcome: 'needs-password' };

    const known = present && open(deployment, tenantId, 'webhook-password', present.sealedPassword);
    const password = input.password ?? known ?? randomSecret(32);
    const username = input.username ?? present?.username ?? `tributary-${randomId(8)}`;
    const isMadeHere = input.password === undefined && known === undefined;
    const webhook = { url, username, ...(isMadeHere && { password }) };
    const isThere = present?.url === url && present.username === username && known === password;
    if (isThere) return { outcome: 'set', webhook };

    const endpoint = {
      url,
      username,
      sealedPassword: seal(deployment, tenantId, 'webhook-password', password),
      previous: undefined,
      status: present?.status ?? 'active',
      reason: present?.reason,
      changedBy: input.by,
    };
    await storeWebhook(tx, deployment, tenantId, endpoint, clock.now());
    return { outcome: 'set', webhook };
  });
}

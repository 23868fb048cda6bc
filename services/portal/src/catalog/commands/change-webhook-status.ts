import type { WebhookEndpointStatus } from '@tributary/contracts/catalog-record';
import { lockTenant } from '../db/tenants.ts';
import { readWebhookEndpoint } from '../db/webhook-endpoints.ts';
import { changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { describeWebhook, type WebhookDescription } from './describe-webhook.ts';
import { storeWebhook } from './store-webhook.ts';

export type WebhookStatusOutcome =
  { outcome: 'has-status'; webhook: WebhookDescription } | { outcome: 'no-tenant' | 'no-webhook' };

/**
 * An operator pauses, disables or resumes an endpoint. A status that is there already is no change:
 * the answer then tells who said so first, and why.
 */
export async function changeWebhookStatus(
  deployment: Deployment,
  tenantId: string,
  input: { status: WebhookEndpointStatus; by: string; reason?: string },
): Promise<WebhookStatusOutcome> {
  const { clock } = deployment;
  return changeCatalog(deployment, async (tx): Promise<WebhookStatusOutcome> => {
    if (!(await lockTenant(tx, tenantId))) return { outcome: 'no-tenant' };
    const present = await readWebhookEndpoint(tx, tenantId);
    if (present === undefined) return { outcome: 'no-webhook' };
    const at = clock.now();
    if (present.status === input.status) {
      return { outcome: 'has-status', webhook: describeWebhook(present, at) };
    }
    const { status, by, reason } = input;
    const endpoint = { ...present, status, reason, changedBy: by, changedAt: at };
    await storeWebhook(tx, deployment, tenantId, endpoint, at);
    return { outcome: 'has-status', webhook: describeWebhook(endpoint, at) };
  });
}

import { inTransaction } from '@tributary/runtime/postgres';
import { listAccessKeys } from '../db/access-keys.ts';
import { listNewestRevisions } from '../db/campaign-revisions.ts';
import { listTenants, readTenant, type TenantRow } from '../db/tenants.ts';
import { readWebhookEndpoint } from '../db/webhook-endpoints.ts';
import type { Deployment } from './deployment.ts';
import { describeWebhook } from './describe-webhook.ts';

/** What an operator may see of a tenant: everything but secrets. */
export async function describeTenant({ pool, clock }: Deployment, tenantId: string) {
  return inTransaction(pool, async (tx) => {
    const tenant = await readTenant(tx, tenantId);
    if (tenant === undefined) return undefined;
    const accessKeys = await listAccessKeys(tx, tenantId);
    const campaigns = await listNewestRevisions(tx, tenantId);
    const webhook = await readWebhookEndpoint(tx, tenantId);
    return {
      ...summary(tenant),
      accessKeys: accessKeys.map(({ accessKeyId, status }) => ({ accessKeyId, status })),
      campaigns,
      webhook: webhook ? describeWebhook(webhook, clock.now()) : null,
    };
  });
}

export async function describeTenants({ pool }: Deployment) {
  return inTransaction(pool, async (tx) => ({ tenants: (await listTenants(tx)).map(summary) }));
}

function summary(row: TenantRow) {
  const { tenantId, name, status, productId, defaultCampaignId, ...settings } = row;
  const { attributionMode, legacyRepeatHours, eventsPerSecond, removedAt } = settings;
  return {
    ...{ tenantId, name, status, productId, defaultCampaignId },
    ...{ attributionMode, legacyRepeatHours, eventsPerSecond, removedAt },
  };
}

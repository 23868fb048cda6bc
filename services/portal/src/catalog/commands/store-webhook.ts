import { putWebhookEndpoint, type WebhookEndpointRow } from '../db/webhook-endpoints.ts';
import type { CatalogTx } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { publishCatalog } from './publish.ts';

export type Endpoint = Omit<WebhookEndpointRow, 'version' | 'changedAt'>;

/**
 * Writes the endpoint of a tenant that the caller has locked, and its record. Credentials whose
 * overlap is over are forgotten with it.
 */
export async function storeWebhook(
  tx: CatalogTx,
  deployment: Deployment,
  tenantId: string,
  endpoint: Endpoint,
  at: Date,
): Promise<void> {
  const { url, username, sealedPassword, status, reason, changedBy } = endpoint;
  const previous = runningOverlap(endpoint.previous, at);
  const row = { url, username, sealedPassword, status, reason, changedBy, previous };
  const version = await putWebhookEndpoint(tx, tenantId, { ...row, changedAt: at });
  await publishCatalog(tx, deployment, at, {
    entity: 'webhook-endpoint',
    tenantId,
    version,
    url,
    username,
    sealedPassword,
    ...(previous && { previous: { ...previous, until: previous.until.toISOString() } }),
    status,
    ...(reason !== undefined && { reason }),
    ...(changedBy !== undefined && { changedBy }),
  });
}

export function runningOverlap(previous: Endpoint['previous'], at: Date): Endpoint['previous'] {
  return previous !== undefined && previous.until > at ? previous : undefined;
}

import { catalogSchemaVersion, type CatalogRecord } from '@tributary/contracts/catalog-record';
import { secretContext } from '@tributary/contracts/secret-context';
import { sealSecret } from '@tributary/runtime/secrets';

export type KeyRing = Parameters<typeof sealSecret>[0];

/** Where the webhooks of a tenant go, as the portal says it on the log. */
export function endpointOf(keyRing: KeyRing, tenantId: string, url: string): CatalogRecord {
  const context = secretContext(tenantId, 'webhook-password');
  return {
    schemaVersion: catalogSchemaVersion,
    entity: 'webhook-endpoint',
    tenantId,
    version: 1,
    publishedAt: '2026-01-01T00:00:00.000Z',
    url,
    username: 'hook-user',
    sealedPassword: sealSecret(keyRing, 'hook-password', context),
    status: 'active',
  };
}

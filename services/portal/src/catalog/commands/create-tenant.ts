import { type AttributionMode, defaultRepeatHours } from '@tributary/contracts/catalog-record';
import { secretContext } from '@tributary/contracts/secret-context';
import { openSecret } from '@tributary/runtime/secrets';
import { readSealedProductSecret } from '../db/product-secrets.ts';
import { insertTenant, lockTenant, readTenant, type TenantRow } from '../db/tenants.ts';
import { type CatalogTx, changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { renewProductSecret } from './product-secret.ts';
import { publishTenant } from './publish.ts';

export type NewTenant = {
  tenantId: string;
  name: string;
  productId: string;
  productSecret: string;
};

/**
 * A tenant with its product id and secret. With a given tenantId the request can be repeated, as
 * provisioning does after a crash: the same name (and mode, when one is
 * given) answers the tenant that is there.
 */
export async function createTenant(
  deployment: Deployment,
  input: { name: string; tenantId?: string; attributionMode?: AttributionMode },
): Promise<{ outcome: 'created' | 'exists'; tenant: NewTenant } | { outcome: 'taken' }> {
  const { clock, randomId } = deployment;
  const { name, tenantId = `t-${randomId(14)}`, attributionMode } = input;

  return changeCatalog(deployment, async (tx) => {
    const at = clock.now();
    const row: TenantRow = {
      tenantId,
      name,
      status: 'active',
      productId: `p-${randomId(20)}`,
      defaultCampaignId: null,
      attributionMode: attributionMode ?? 'event-code',
      legacyRepeatHours: defaultRepeatHours,
      eventsPerSecond: null,
      version: 1,
    };
    if (!(await insertTenant(tx, { ...row, at }))) return existing(deployment, tx, tenantId, input);
    await publishTenant(tx, deployment, at, row);
    const productSecret = await renewProductSecret(tx, deployment, row, at);
    const { productId } = row;
    return { outcome: 'created', tenant: { tenantId, name, productId, productSecret } } as const;
  });
}

async function existing(
  { keyRing }: Deployment,
  tx: CatalogTx,
  tenantId: string,
  input: { name: string; attributionMode?: AttributionMode },
) {
  await lockTenant(tx, tenantId);
  const row = await readTenant(tx, tenantId);
  const sealed = await readSealedProductSecret(tx, tenantId);
  if (row?.name !== input.name || sealed === undefined) return { outcome: 'taken' } as const;
  const { name, attributionMode } = row;
  if ((input.attributionMode ?? attributionMode) !== attributionMode) {
    return { outcome: 'taken' } as const;
  }
  const productSecret = openSecret(keyRing, sealed, secretContext(tenantId, 'product-secret'));
  const tenant = { tenantId, name, productId: row.productId, productSecret };
  return { outcome: 'exists', tenant } as const;
}

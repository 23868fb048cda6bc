import { type AttributionMode, defaultRepeatHours } from '@tributary/contracts/catalog-record';
import {
  insertTenant,
  lockTenant,
  lockTenantName,
  readTenant,
  type TenantRow,
} from '../db/tenants.ts';
import { type CatalogTx, changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { renewProductSecret } from './product-secret.ts';
import { publishTenant } from './publish.ts';

export type ExistingTenant = { tenantId: string; name: string; productId: string };
export type NewTenant = ExistingTenant & { productSecret: string };

export type CreateOutcome =
  | { outcome: 'created'; tenant: NewTenant }
  | { outcome: 'exists'; tenant: ExistingTenant }
  /** A removed tenant had the id or the name. */
  | { outcome: 'removed' }
  | { outcome: 'taken' };

/**
 * A tenant with its product id and secret. With a given tenantId the request can be repeated, as
 * provisioning does after a crash: the same name (and mode, when one is given) answers the tenant
 * that is there, without its secret, which is shown once. One that was lost is rotated.
 */
export async function createTenant(
  deployment: Deployment,
  input: { name: string; tenantId?: string; attributionMode?: AttributionMode },
): Promise<CreateOutcome> {
  const { clock, randomId } = deployment;
  const { name, tenantId = `t-${randomId(14)}`, attributionMode } = input;

  return changeCatalog(deployment, async (tx): Promise<CreateOutcome> => {
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
      removedAt: null,
      version: 1,
    };
    await lockTenantName(tx, name);
    if (!(await insertTenant(tx, { ...row, at }))) return existing(tx, tenantId, input);
    await publishTenant(tx, deployment, at, row);
    const productSecret = await renewProductSecret(tx, deployment, row, at);
    const { productId } = row;
    return { outcome: 'created', tenant: { tenantId, name, productId, productSecret } };
  });
}

async function existing(
  tx: CatalogTx,
  tenantId: string,
  input: { name: string; attributionMode?: AttributionMode },
): Promise<CreateOutcome> {
  await lockTenant(tx, tenantId);
  const row = await readTenant(tx, tenantId);
  if (row === undefined || row.removedAt !== null) return { outcome: 'removed' };
  if (row.name !== input.name) return { outcome: 'taken' };
  const { name, attributionMode } = row;
  if ((input.attributionMode ?? attributionMode) !== attributionMode) {
    return { outcome: 'taken' };
  }
  return { outcome: 'exists', tenant: { tenantId, name, productId: row.productId } };
}

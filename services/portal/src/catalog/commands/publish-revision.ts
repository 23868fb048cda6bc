import { readTenant, updateTenant } from '../db/tenants.ts';
import type { CatalogTx } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { type CatalogChange, publishCatalog, publishTenant } from './publish.ts';

/** A tenant's first campaign becomes its default one. */
export async function publishRevision(
  tx: CatalogTx,
  deployment: Deployment,
  at: Date,
  revision: CatalogChange & { entity: 'campaign-revision' },
): Promise<void> {
  const { tenantId, campaignId } = revision;
  await publishCatalog(tx, deployment, at, revision);
  if ((await readTenant(tx, tenantId))?.defaultCampaignId !== null) return;
  const tenant = await updateTenant(tx, tenantId, 'defaultCampaignId', campaignId, at);
  if (tenant) await publishTenant(tx, deployment, at, tenant);
}

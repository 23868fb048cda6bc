import { inTransaction } from '@tributary/runtime/postgres';
import {
  insertCampaignRevision,
  readNewestRevision,
} from '../adapters/postgres/campaign-revisions.ts';
import {
  lockTenant,
  readTenant,
  type TenantRow,
  updateDefaultCampaign,
} from '../adapters/postgres/tenants.ts';
import {
  type CampaignDraft,
  type CampaignRevision,
  nextRevision,
} from '../domain/campaign-draft.ts';
import type { Deployment } from './deployment.ts';
import { publishCatalog, tenantRecord } from './publish.ts';

export type PutCampaignOutcome =
  | { outcome: 'put'; revision: CampaignRevision }
  | { outcome: 'back-dated'; now: string }
  | { outcome: 'no-tenant' };

/**
 * Writes the draft as the campaign's next revision. The tenant's lock serialises concurrent puts,
 * and the clock is read under it, so that revision numbers and default starts grow together. A
 * tenant's first campaign becomes its default campaign.
 */
export async function putCampaign(
  deployment: Deployment,
  tenantId: string,
  campaignId: string,
  draft: CampaignDraft,
): Promise<PutCampaignOutcome> {
  const { pool, clock } = deployment;
  return inTransaction(pool, async (tx): Promise<PutCampaignOutcome> => {
    if (!(await lockTenant(tx, tenantId))) return { outcome: 'no-tenant' };
    const at = clock.now();
    const now = at.toISOString();
    const newest = await readNewestRevision(tx, tenantId, campaignId);
    const next = nextRevision(draft, newest, campaignId, now);
    if (next.outcome === 'back-dated') return { outcome: 'back-dated', now };
    const { revision } = next;
    if (next.outcome === 'same') return { outcome: 'put', revision };

    await insertCampaignRevision(tx, tenantId, revision, at);
    await publishCatalog(tx, deployment, [
      {
        ...revision,
        schemaVersion: 1,
        entity: 'campaign-revision',
        tenantId,
        version: 1,
        publishedAt: now,
      },
    ]);
    if ((await readTenant(tx, tenantId))?.defaultCampaignId === null) {
      const tenant = await updateDefaultCampaign(tx, tenantId, campaignId);
      if (tenant !== undefined) await publishCatalog(tx, deployment, [tenantRecord(tenant, at)]);
    }
    return { outcome: 'put', revision };
  });
}

export type DefaultCampaignOutcome =
  { outcome: 'chosen'; tenant: TenantRow } | { outcome: 'no-tenant' } | { outcome: 'no-campaign' };

/** Choosing the present default campaign again changes nothing. */
export async function chooseDefaultCampaign(
  deployment: Deployment,
  tenantId: string,
  campaignId: string,
): Promise<DefaultCampaignOutcome> {
  const { pool, clock } = deployment;
  return inTransaction(pool, async (tx): Promise<DefaultCampaignOutcome> => {
    if (!(await lockTenant(tx, tenantId))) return { outcome: 'no-tenant' };
    const tenant = await readTenant(tx, tenantId);
    if (tenant?.defaultCampaignId === campaignId) return { outcome: 'chosen', tenant };
    const campaign = await readNewestRevision(tx, tenantId, campaignId);
    if (campaign === undefined) return { outcome: 'no-campaign' };
    const changed = await updateDefaultCampaign(tx, tenantId, campaignId);
    if (changed === undefined) return { outcome: 'no-tenant' };
    await publishCatalog(tx, deployment, [tenantRecord(changed, clock.now())]);
    return { outcome: 'chosen', tenant: changed };
  });
}

import { insertCampaignRevision, readNextStart } from '../db/campaign-revisions.ts';
import { lockTenant } from '../db/tenants.ts';
import type { CampaignDraft, CampaignRevision, RevisionStart } from '../domain/campaign-draft.ts';
import { changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { draftNextRevision } from './draft-next-revision.ts';
import { publishRevision } from './publish-revision.ts';

export type PutCampaignOutcome =
  | { outcome: 'put'; revision: CampaignRevision; takenOverBy?: RevisionStart }
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
  const { clock } = deployment;
  return changeCatalog(deployment, async (tx): Promise<PutCampaignOutcome> => {
    if (!(await lockTenant(tx, tenantId))) return { outcome: 'no-tenant' };
    const at = clock.now();
    const now = at.toISOString();
    const next = await draftNextRevision(tx, { tenantId, campaignId }, draft, now);
    if (next.outcome === 'back-dated') return { outcome: 'back-dated', now };
    const { revision } = next;
    const takenOverBy = await readNextStart(tx, tenantId, campaignId, revision.effectiveFrom);
    const put = { outcome: 'put', revision, ...(takenOverBy && { takenOverBy }) } as const;
    if (next.outcome === 'same') return put;

    await insertCampaignRevision(tx, tenantId, revision, at);
    const change = { ...revision, entity: 'campaign-revision', tenantId, version: 1 } as const;
    await publishRevision(tx, deployment, at, change);
    return put;
  });
}

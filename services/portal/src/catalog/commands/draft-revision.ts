import {
  type CampaignRevisionRecord,
  catalogSchemaVersion,
} from '@tributary/contracts/catalog-record';
import { always } from '@tributary/contracts/revision-in-force';
import { inTransaction } from '@tributary/runtime/postgres';
import { readNewestRevision, readNextStart } from '../db/campaign-revisions.ts';
import { readTenant } from '../db/tenants.ts';
import type { CampaignDraft, RevisionStart } from '../domain/campaign-draft.ts';
import type { Deployment } from './deployment.ts';

export type DraftOutcome =
  | {
      outcome: 'drafted';
      draft: CampaignRevisionRecord;
      takenOverBy: RevisionStart | undefined;
      /** It would hold from now on, since no other time was named. */
      startsNow: boolean;
    }
  | { outcome: 'no-tenant' }
  | { outcome: 'no-default-campaign' };

/**
 * After every fact, so that whatever the draft gives is evaluated as given by a revision that was
 * published later. That is what each fact of the preview will be to the commit, whenever it comes.
 */
const notYetPublished = '9999-12-31T23:59:59.999Z';

/**
 * The campaign as the revision that it would become now, for a preview; nothing is stored. Only
 * here may a start lie in the past: what comes of it is seen before it is published (design 7).
 */
export async function draftRevision(
  { pool, clock }: Deployment,
  tenantId: string,
  named: string | undefined,
  { effectiveFrom: start, ...content }: CampaignDraft,
): Promise<DraftOutcome> {
  return inTransaction(pool, async (tx): Promise<DraftOutcome> => {
    const tenant = await readTenant(tx, tenantId);
    if (tenant === undefined) return { outcome: 'no-tenant' };
    const campaignId = named ?? tenant.defaultCampaignId;
    if (campaignId === null) return { outcome: 'no-default-campaign' };
    const newest = await readNewestRevision(tx, tenantId, campaignId);
    const now = clock.now().toISOString();
    const effectiveFrom = start ?? (newest === undefined ? always : now);
    const draft: CampaignRevisionRecord = {
      ...content,
      schemaVersion: catalogSchemaVersion,
      entity: 'campaign-revision',
      tenantId,
      version: 1,
      publishedAt: notYetPublished,
      campaignId,
      revision: (newest?.revision ?? 0) + 1,
      effectiveFrom,
    };
    return {
      outcome: 'drafted',
      draft,
      takenOverBy: await readNextStart(tx, tenantId, campaignId, effectiveFrom),
      startsNow: effectiveFrom === now,
    };
  });
}

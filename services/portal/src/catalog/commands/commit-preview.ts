import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { insertCampaignRevision, readNewestRevision } from '../db/campaign-revisions.ts';
import { insertReplayCommit, readReplayCommit, type ReplayCommit } from '../db/replay-commits.ts';
import { lockTenant } from '../db/tenants.ts';
import { changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { publishRevision } from './publish-revision.ts';

/** A preview that has ended, with the revision that it was made of. */
export type CommittablePreview = { previewId: string; draft: CampaignRevisionRecord };

export type CommitOutcome =
  | { outcome: 'committed'; commit: ReplayCommit }
  | { outcome: 'outdated'; newestRevision: number }
  | { outcome: 'no-tenant' };

/**
 * Publishes the revision of a preview, whenever it begins. One transaction holds the revision, its
 * record in the outbox and the row of the commit, whose key is the preview: committed again, or by
 * two at once, it is the first commit that is answered. It is refused when the campaign has another
 * revision by now, for then nobody has seen what this one would do. Facts that arrived since the
 * preview do not matter: the check lists them.
 *
 * The check is a job of another service, so it cannot be part of the transaction. Whoever finds a
 * commit without one asks for it (ask-for-check.ts), and asked for twice it is one job. So a
 * process may die anywhere.
 */
export async function commitPreview(
  deployment: Deployment,
  { previewId, draft }: CommittablePreview,
  remark: { by: string; note: string | undefined },
): Promise<CommitOutcome> {
  const { tenantId, campaignId, effectiveFrom } = draft;
  return changeCatalog(deployment, async (tx): Promise<CommitOutcome> => {
    if (!(await lockTenant(tx, tenantId))) return { outcome: 'no-tenant' };
    const earlier = await readReplayCommit(tx, previewId);
    if (earlier !== undefined) return { outcome: 'committed', commit: earlier };
    const newest = await readNewestRevision(tx, tenantId, campaignId);
    const newestRevision = newest?.revision ?? 0;
    const { revision } = draft;
    if (revision !== newestRevision + 1) return { outcome: 'outdated', newestRevision };

    // Read under the lock, so that revisions of a campaign are published in their order.
    const publishedAt = deployment.clock.now();
    await insertCampaignRevision(tx, tenantId, { ...draft, previewId }, publishedAt);
    await publishRevision(tx, deployment, publishedAt, { ...draft, previewId });
    const commit = {
      ...{ previewId, tenantId, campaignId, revision, effectiveFrom, publishedAt },
      by: remark.by,
      note: remark.note ?? null,
    };
    await insertReplayCommit(tx, commit);
    const unchecked = { checkJobId: null, checkRefusal: null };
    return { outcome: 'committed', commit: { ...commit, ...unchecked } };
  });
}

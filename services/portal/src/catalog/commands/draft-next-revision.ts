import { inTransaction, type Tx } from '@tributary/runtime/postgres';
import { readNewestRevision, readNextStart } from '../db/campaign-revisions.ts';
import { type CampaignDraft, nextRevision } from '../domain/campaign-draft.ts';
import type { Deployment } from './deployment.ts';

/** Which campaign of which tenant. */
export type CampaignPlace = { tenantId: string; campaignId: string };

/** What a put of the draft would do at this time. A put asks under the tenant's lock. */
export async function draftNextRevision(
  tx: Tx,
  { tenantId, campaignId }: CampaignPlace,
  draft: CampaignDraft,
  now: string,
): Promise<ReturnType<typeof nextRevision>> {
  const newest = await readNewestRevision(tx, tenantId, campaignId);
  const takenOver = newest && (await readNextStart(tx, tenantId, campaignId, newest.effectiveFrom));
  return nextRevision(draft, newest, campaignId, now, takenOver?.effectiveFrom);
}

/**
 * The time at which a put would refuse the draft for its start, by the put's own rule; undefined
 * when it would not. Without a place: a put to where the campaign is not stored.
 */
export async function findBackDated(
  { pool, clock }: Deployment,
  draft: CampaignDraft,
  place: CampaignPlace | undefined,
): Promise<string | undefined> {
  const now = clock.now().toISOString();
  const next =
    place === undefined
      ? nextRevision(draft, undefined, '', now)
      : await inTransaction(pool, (tx) => draftNextRevision(tx, place, draft, now));
  return next.outcome === 'back-dated' ? now : undefined;
}

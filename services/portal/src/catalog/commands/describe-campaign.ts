import { effectiveFromSeconds, revisionInForce } from '@tributary/contracts/revision-in-force';
import { inTransaction } from '@tributary/runtime/postgres';
import {
  listNewestRevisions,
  listRevisions,
  readRevision,
  type StoredRevision,
} from '../db/campaign-revisions.ts';
import { readTenant } from '../db/tenants.ts';
import { warningsOfCampaign } from '../domain/campaign-warnings.ts';
import { describeCampaign } from '../domain/describe-campaign.ts';
import type { Deployment } from './deployment.ts';

/** The newest revision of each campaign; undefined without the tenant. */
export async function describeCampaigns({ pool }: Deployment, tenantId: string) {
  return inTransaction(pool, async (tx) => {
    if ((await readTenant(tx, tenantId)) === undefined) return undefined;
    return { campaigns: await listNewestRevisions(tx, tenantId) };
  });
}

/** Every revision, the newest first, and which of them holds now; undefined without any. */
export async function describeRevisions(
  { pool, clock }: Deployment,
  tenantId: string,
  campaignId: string,
) {
  const revisions = await inTransaction(pool, (tx) => listRevisions(tx, tenantId, campaignId));
  if (revisions.length === 0) return undefined;
  return { campaignId, revisionInForce: inForce(revisions, clock.now()), revisions };
}

/** One revision as it was stored, with what it does in words. */
export async function describeRevision(
  { pool }: Deployment,
  tenantId: string,
  campaignId: string,
  revision: number,
) {
  const found = await inTransaction(pool, (tx) => readRevision(tx, tenantId, campaignId, revision));
  if (found === undefined) return undefined;
  return {
    ...found,
    explanation: describeCampaign(found),
    warnings: warningsOfCampaign(found),
  };
}

function inForce(revisions: readonly StoredRevision[], now: Date): number | null {
  const dated = revisions.map(({ revision, effectiveFrom }) => ({
    revision,
    effectiveFromSeconds: effectiveFromSeconds(effectiveFrom) ?? '0',
  }));
  return revisionInForce(dated, String(now.getTime() / 1000))?.revision ?? null;
}

import { referralLink } from '@tributary/contracts/referral-link';
import { deriveUcc } from '@tributary/contracts/ucc';
import { readNewestRevision } from '../db/campaign-revisions.ts';
import { type CodeRow, insertCode, readCode } from '../db/codes.ts';
import { readTenant } from '../db/tenants.ts';
import { type CatalogTx, changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { publishCode } from './publish.ts';

/**
 * With a link to share, or with `disabledAt` when an operator has disabled it: it attributes
 * nothing.
 */
export type IssuedCode = CodeRow & { link?: string; disabledAt?: string };
export type IssueCodeOutcome =
  | { outcome: 'issued' | 'exists'; code: IssuedCode }
  | { outcome: 'taken' | 'no-tenant' | 'no-campaign' | 'no-default-campaign' };

/**
 * The code of a user: derived, so that any service computes the same one, or a chosen text. Needs
 * no lock: campaigns are never removed, and the unique key decides who was first to take a code.
 */
export async function issueCode(
  deployment: Deployment,
  tenantId: string,
  input: { productUserId: string; campaignId?: string; ucc?: string },
): Promise<IssueCodeOutcome> {
  const { uccKey } = deployment;
  const { productUserId } = input;

  return changeCatalog(deployment, async (tx): Promise<IssueCodeOutcome> => {
    const tenant = await readTenant(tx, tenantId);
    if (tenant === undefined) return { outcome: 'no-tenant' };
    const campaignId = input.campaignId ?? tenant.defaultCampaignId;
    if (campaignId === null) return { outcome: 'no-default-campaign' };
    const campaign = await readNewestRevision(tx, tenantId, campaignId);
    if (campaign === undefined) return { outcome: 'no-campaign' };

    const ucc =
      input.ucc ?? deriveUcc(uccKey, { tenantId, campaignId, productUserId, generation: 1 });
    const code: CodeRow = { ucc, campaignId, productUserId };
    const taken = await takeCode(tx, deployment, tenantId, code);
    if (taken.outcome === 'taken') return { outcome: 'taken' };
    const disabledAt = taken.disabledAt?.toISOString();
    if (disabledAt !== undefined) return { outcome: taken.outcome, code: { ...code, disabledAt } };
    const link = referralLink(campaign.landingUrl, tenant.productId, ucc);
    return { outcome: taken.outcome, code: { ...code, link } };
  });
}

async function takeCode(
  tx: CatalogTx,
  deployment: Deployment,
  tenantId: string,
  code: CodeRow,
): Promise<{ outcome: 'issued' | 'exists' | 'taken'; disabledAt?: Date }> {
  const at = deployment.clock.now();
  if (await insertCode(tx, tenantId, { ...code, version: 1, at })) {
    await publishCode(tx, deployment, {
      ...code,
      schemaVersion: 1,
      type: 'code-issued',
      tenantId,
      version: 1,
      at: at.toISOString(),
    });
    return { outcome: 'issued' };
  }
  const present = await readCode(tx, tenantId, code.ucc);
  const same =
    present?.productUserId === code.productUserId && present.campaignId === code.campaignId;
  if (!same) return { outcome: 'taken' };
  const { disabledAt } = present;
  return { outcome: 'exists', ...(disabledAt === null ? {} : { disabledAt }) };
}

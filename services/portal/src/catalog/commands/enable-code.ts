import { referralLink } from '@tributary/contracts/referral-link';
import { readNewestRevision } from '../db/campaign-revisions.ts';
import { markCodeEnabled, readCode } from '../db/codes.ts';
import { readTenant } from '../db/tenants.ts';
import { changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import type { IssuedCode } from './issue-code.ts';
import { publishCode } from './publish.ts';

export type EnableCodeOutcome =
  { outcome: 'enabled'; code: IssuedCode } | { outcome: 'no-tenant' | 'no-code' };

/**
 * Lets a disabled code attribute what is received from now on; what came while it was disabled
 * stays as it was decided (docs/decisions/0023). It says that the code is issued, with the next
 * version, and it stays its owner's. A code that is not disabled is answered as it is.
 */
export async function enableCode(
  deployment: Deployment,
  tenantId: string,
  ucc: string,
): Promise<EnableCodeOutcome> {
  const { clock } = deployment;
  return changeCatalog(deployment, async (tx): Promise<EnableCodeOutcome> => {
    const tenant = await readTenant(tx, tenantId);
    if (tenant === undefined) return { outcome: 'no-tenant' };
    const enabled = await markCodeEnabled(tx, { tenantId, ucc, at: clock.now() });
    const code = enabled ?? (await readCode(tx, tenantId, ucc));
    if (code === undefined) return { outcome: 'no-code' };
    const { campaignId, productUserId } = code;
    if (enabled !== undefined) {
      await publishCode(tx, deployment, {
        schemaVersion: 1,
        type: 'code-issued',
        tenantId,
        ucc,
        version: enabled.version,
        campaignId,
        productUserId,
        at: enabled.enabledAt.toISOString(),
      });
    }
    const campaign = await readNewestRevision(tx, tenantId, campaignId);
    const link = campaign && referralLink(campaign.landingUrl, tenant.productId, ucc);
    return { outcome: 'enabled', code: { ucc, campaignId, productUserId, ...(link && { link }) } };
  });
}

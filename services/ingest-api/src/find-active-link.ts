import { chooseActiveCode, type IssuedCode } from '@tributary/contracts/active-code';
import type { ActiveLink } from '@tributary/contracts/active-link';
import type { CampaignRevisionRecord, TenantRecord } from '@tributary/contracts/catalog-record';
import { referralLink } from '@tributary/contracts/referral-link';
import type { Clock } from '@tributary/runtime/clock';

/**
 * The code and invite link of a user for sharing (interface 4.6). It only fetches: a user without
 * a code has none afterwards either.
 */
export function createFindActiveLink(options: {
  newestCodes: (tenantId: string, productUserId: string) => Promise<IssuedCode[]>;
  tenant: (tenantId: string) => TenantRecord | undefined;
  campaignInForce: (
    tenantId: string,
    campaignId: string,
    at: Date,
  ) => CampaignRevisionRecord | undefined;
  clock: Clock;
}): (tenantId: string, productUserId: string) => Promise<ActiveLink | undefined> {
  const { newestCodes, tenant: tenantOf, campaignInForce, clock } = options;

  return async (tenantId, productUserId) => {
    const codes = await newestCodes(tenantId, productUserId);
    const tenant = tenantOf(tenantId);
    if (!tenant) return undefined;
    const now = clock.now();
    const active = chooseActiveCode(
      codes,
      (campaignId) => campaignInForce(tenantId, campaignId, now),
      tenant.defaultCampaignId,
    );
    if (!active) return undefined;
    const { ucc } = active.code;
    const link = referralLink(active.campaign.landingUrl, tenant.productId, ucc);
    return { activeUcc: ucc, link };
  };
}

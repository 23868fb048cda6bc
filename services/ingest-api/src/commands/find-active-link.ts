import { chooseActiveCode, type IssuedCode } from '@tributary/contracts/active-code';
import type { ActiveLink } from '@tributary/contracts/public/active-link';
import { referralLink } from '@tributary/contracts/referral-link';
import type { CatalogView } from '@tributary/http/catalog-view';
import type { Clock } from '@tributary/runtime/clock';

/**
 * The code and invite link of a user for sharing (interface 4.6). It only fetches: a user without a
 * code has none afterwards either. That there is none is said only after a second look at
 * everything that was on the log when it was asked (docs/decisions/0022).
 */
export function createFindActiveLink(options: {
  newestCodes: (owner: {
    tenantId: string;
    productUserId: string;
    now: Date;
  }) => Promise<IssuedCode[]>;
  tenant: CatalogView['tenant'];
  campaignInForce: CatalogView['campaignInForce'];
  becomeCurrent: () => Promise<unknown>;
  clock: Clock;
}): (tenantId: string, productUserId: string) => Promise<ActiveLink | undefined> {
  const { newestCodes, tenant: tenantOf, campaignInForce, becomeCurrent, clock } = options;

  return async (tenantId, productUserId) => {
    const link = await find(tenantId, productUserId);
    if (link) return link;
    await becomeCurrent();
    return find(tenantId, productUserId);
  };

  async function find(tenantId: string, productUserId: string): Promise<ActiveLink | undefined> {
    const now = clock.now();
    const codes = await newestCodes({ tenantId, productUserId, now });
    const tenant = tenantOf(tenantId);
    if (!tenant) return undefined;
    const active = chooseActiveCode(
      codes,
      (campaignId) => campaignInForce(tenantId, campaignId, now),
      tenant.defaultCampaignId,
    );
    if (!active) return undefined;
    const { ucc } = active.code;
    const link = referralLink(active.campaign.landingUrl, tenant.productId, ucc);
    return { activeUcc: ucc, link };
  }
}

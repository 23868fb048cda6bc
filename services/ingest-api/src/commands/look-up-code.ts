import { isRunning } from '@tributary/contracts/active-code';
import type { ReferralCode } from '@tributary/contracts/public/referral-code';
import type { CatalogView } from '@tributary/http/catalog-view';
import type { Clock } from '@tributary/runtime/clock';
import type { ReferralCodeRow } from '../db/referral-codes.ts';

/**
 * Answers for a code of a tenant (interface 2.10). `valid` is what attribution would say of an
 * event that occurs now: the code is not disabled, and its campaign has a running revision in force
 * (docs/decisions/0007). Missing or not valid is said only after a second look at everything that
 * was on the log when it was asked (docs/decisions/0022).
 */
export function createLookUpCode(options: {
  findReferralCode: (code: {
    tenantId: string;
    ucc: string;
    now: Date;
  }) => Promise<ReferralCodeRow | undefined>;
  campaignInForce: CatalogView['campaignInForce'];
  becomeCurrent: () => Promise<unknown>;
  clock: Clock;
}): (tenantId: string, code: string) => Promise<ReferralCode | undefined> {
  const { findReferralCode, campaignInForce, becomeCurrent, clock } = options;

  return async (tenantId, code) => {
    const answer = await lookUp(tenantId, code);
    if (answer?.valid) return answer;
    await becomeCurrent();
    return lookUp(tenantId, code);
  };

  async function lookUp(tenantId: string, code: string): Promise<ReferralCode | undefined> {
    const now = clock.now();
    const found = await findReferralCode({ tenantId, ucc: code, now });
    if (!found) return undefined;
    const { status, productUserId, campaignId } = found;
    const campaign = campaignInForce(tenantId, campaignId, now);
    const valid = status === 'issued' && isRunning(campaign);
    return { code, valid, productUserId, campaignId };
  }
}

import type { CampaignRevisionRecord, TenantRecord } from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import { codeOf, revisionOf, startOfTime, tenantOf } from '../chain/records.ts';
import { currencies } from './some-prices.ts';
import type { StripeLife } from './some-lives.ts';

const campaignId = 'share';

/** A tenant whose referrers get a tenth of what is paid, less what is given back. */
export function catalogOf(tenantId: string): {
  tenant: TenantRecord;
  revision: CampaignRevisionRecord;
} {
  const codes = currencies.map(({ currency }) => currency.toUpperCase());
  return {
    tenant: tenantOf({ tenantId }),
    revision: revisionOf({
      ...{ tenantId, campaignId, effectiveFrom: startOfTime },
      rules: [
        {
          ...{ ruleId: 'tenth', trigger: 'purchase-created', recipient: 'referrer' },
          effect: {
            ...{ kind: 'percent', basisPoints: 1_000 },
            creditsPerMajorUnit: Object.fromEntries(codes.map((code) => [code, '1'])),
          },
        },
      ],
    }),
  };
}

/** Each customer was referred by somebody of their own. */
export function referralOf(tenantId: string, { ucc }: StripeLife): CodeRecord {
  return codeOf({ tenantId, ucc, campaignId, productUserId: referrerOf({ ucc }) });
}

export function referrerOf({ ucc }: Pick<StripeLife, 'ucc'>): string {
  return `referrer-${ucc}`;
}

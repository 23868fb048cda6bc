import type { CampaignRule } from '@tributary/contracts/campaign-rule';

const purchaseRule = { ruleId: 'purchase', trigger: 'purchase-created' } as const;
const euroAndDollar = { EUR: '1', USD: '0.9' };

/**
 * Every kind of effect, with and without limits that look back. What `fixed` gives is issued at
 * once, the others hold it for weeks.
 */
export const rulesByCampaign: Record<string, CampaignRule[]> = {
  'percent-with-cap': [
    {
      ...purchaseRule,
      recipient: 'referrer',
      effect: { kind: 'percent', basisPoints: 1_000, creditsPerMajorUnit: euroAndDollar },
      limits: { perRecipient: [{ period: 'month', credits: '100' }] },
      holdDays: 14,
    },
  ],
  fixed: [
    {
      ...purchaseRule,
      recipient: 'referrer',
      effect: { kind: 'fixed', credits: '10' },
    },
    {
      ruleId: 'signup',
      trigger: 'signup-created',
      recipient: 'referrer',
      effect: { kind: 'fixed', credits: '1' },
    },
    {
      ruleId: 'demo',
      trigger: 'demo-attended',
      recipient: 'referrer',
      effect: { kind: 'fixed', credits: '2.50' },
    },
  ],
  tiers: [
    {
      ...purchaseRule,
      recipient: 'referrer',
      effect: {
        kind: 'tiered',
        tiers: [500, 750, 1_000].map((basisPoints, i) => ({
          fromCount: [1, 3, 8][i]!,
          effect: { kind: 'percent', basisPoints, creditsPerMajorUnit: euroAndDollar },
        })),
      },
      holdDays: 30,
    },
  ],
  'both-sides': [
    {
      ...purchaseRule,
      recipient: 'both',
      effect: { kind: 'fixed', credits: '10' },
      newUserEffect: { kind: 'fixed', credits: '5' },
      limits: { firstPurchases: 2 },
      holdDays: 14,
    },
  ],
};

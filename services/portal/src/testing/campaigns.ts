import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import type { CampaignDraft } from '../catalog/domain/campaign-draft.ts';

/** The smallest campaign there is, to be changed by a test. */
export function draftOf(change: Partial<CampaignDraft> = {}): CampaignDraft {
  return {
    name: 'Spring',
    status: 'running',
    landingUrl: 'https://example.com/',
    creditScale: 2,
    effectiveFrom: undefined,
    rules: [],
    ...change,
  };
}

/** 10 credits for the referrer of each purchase. */
export function ruleOf(change: Partial<CampaignRule> = {}): CampaignRule {
  return {
    ruleId: 'r1',
    trigger: 'purchase-created',
    recipient: 'referrer',
    effect: { kind: 'fixed', credits: '10' },
    ...change,
  };
}

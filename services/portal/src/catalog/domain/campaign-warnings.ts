import type { CampaignDraft } from './campaign-draft.ts';
import { counted } from './format-campaign.ts';
import { shadowedRules, warningsOfRule } from './rule-warnings.ts';

/**
 * What is allowed and perhaps not meant. A warning refuses nothing; its code is for programs, its
 * detail for people.
 */
export type CampaignWarning = { code: CampaignWarningCode; pointer: string; detail: string };

/** Each is explained in docs/campaigns.md. */
export const campaignWarningCodes = [
  'NOTHING_ATTRIBUTED',
  'NOTHING_PAID',
  'LATE_EVENTS_REVIEWED',
  'TAKEN_OVER_LATER',
  'LOOPS_PAID',
  'PAYS_FOR_NOTHING',
  'SENT_BEFORE_REFUND',
  'REFUND_KEEPS_CREDITS',
  'REFUND_POLICY_UNUSED',
  'NEVER_MATCHES',
  'NEVER_FIRST',
  'CURRENCY_EARNS_NOTHING',
  'RATE_UNUSED',
  'MORE_THAN_PAID',
  'TIERS_COUNT_PURCHASES',
  'LIMIT_BELOW_REWARD',
  'LIMIT_NEVER_REACHED',
  'FIRST_PURCHASES_COUNT_ALL',
] as const;
export type CampaignWarningCode = (typeof campaignWarningCodes)[number];

export function warningsOfCampaign(draft: CampaignDraft): CampaignWarning[] {
  const found: CampaignWarning[] = [];
  if (draft.status === 'stopped') {
    const detail = 'is "stopped": events under it are not attributed, and no rule pays';
    found.push({ code: 'NOTHING_ATTRIBUTED', pointer: '/status', detail });
  }
  if (draft.rules.length === 0) {
    const detail = 'contains no rules: events are attributed, but nothing is paid';
    found.push({ code: 'NOTHING_PAID', pointer: '/rules', detail });
  }
  if (draft.referralLoops === 'allow') {
    const detail = 'is "allow": two users who refer each other are both paid';
    found.push({ code: 'LOOPS_PAID', pointer: '/referralLoops', detail });
  }
  draft.rules.forEach((rule, i) => {
    found.push(...warningsOfRule(rule, `/rules/${i}`));
    found.push(...warnOfWindow(draft, i));
  });
  return draft.ruleMatching === 'first' ? [...found, ...shadowedRules(draft.rules)] : found;
}

/** No month has fewer than 28 days, and n months together never fewer than 30 n − 2. */
function warnOfWindow({ attributionWindowDays, rules }: CampaignDraft, i: number) {
  const months = rules[i]?.limits?.months;
  if (months === undefined || attributionWindowDays === undefined) return [];
  if (attributionWindowDays > 30 * months - 2) return [];
  const detail = `is never reached: attributionWindowDays ends attribution after ${counted(attributionWindowDays, 'day')}`;
  return [{ code: 'LIMIT_NEVER_REACHED' as const, pointer: `/rules/${i}/limits/months`, detail }];
}

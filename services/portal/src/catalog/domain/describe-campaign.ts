import { always } from '@tributary/contracts/revision-in-force';
import type { CampaignDraft } from './campaign-draft.ts';
import { counted, percent } from './format-campaign.ts';
import { describeRule } from './describe-rule.ts';

/** What a campaign would do, in plain sentences. */
export type CampaignExplanation = {
  campaign: string[];
  rules: { ruleId: string; sentences: string[] }[];
};

export function describeCampaign(draft: CampaignDraft): CampaignExplanation {
  const { rules, creditScale } = draft;
  return {
    campaign: [
      draft.status === 'running'
        ? 'The campaign is running.'
        : 'The campaign is stopped: events that occur under it are not attributed and earn nothing.',
      describeStart(draft.effectiveFrom),
      describeWindow(draft.attributionWindowDays),
      existingUsers[draft.existingUsers ?? 'include'],
      loops[draft.referralLoops ?? 'reject'],
      matching[draft.ruleMatching ?? 'all'],
      creditScale === 0
        ? 'Credits are whole numbers; halves are rounded to the even one.'
        : `Credits have up to ${counted(creditScale, 'decimal')}; halves are rounded to the even digit.`,
      ...describeDiscount(draft),
    ],
    rules: rules.map((rule) => ({
      ruleId: rule.ruleId,
      sentences: describeRule(rule, creditScale),
    })),
  };
}

function describeStart(effectiveFrom: string | undefined): string {
  if (effectiveFrom === always) return 'It holds for everything, whenever it occurred.';
  if (effectiveFrom !== undefined) return `It holds for what occurs from ${effectiveFrom} on.`;
  return (
    'It holds for what occurs from the moment it is put; the first revision of a campaign for ' +
    'everything, whenever it occurred.'
  );
}

function describeWindow(days: number | undefined): string {
  if (days === undefined) return 'Purchases are attributed however late they come.';
  return `A purchase is attributed until ${counted(days, 'day')} after the first event of the user.`;
}

const existingUsers = {
  include: 'Users who were there before they were referred count as well.',
  exclude:
    'Users who had a code of their own for more than 24 hours when their first event came, or an event before the campaign began, do not count.',
} as const;

const loops = {
  reject: 'When two users refer each other, only the direction that came first counts.',
  review:
    'When two users refer each other, rewards of the later direction wait for an operator to look at them.',
  allow: 'When two users refer each other, both directions count.',
} as const;

const matching = {
  all: 'Every rule that matches applies.',
  first: 'Of the rules that match, only the first of the list applies, for each recipient.',
} as const;

function describeDiscount(draft: CampaignDraft): string[] {
  const { newUserDiscountBasisPoints: basisPoints = 0, newUserDiscountMonth: months } = draft;
  if (basisPoints === 0) return [];
  const time = months === undefined ? '' : ` for ${counted(months, 'month')}`;
  return [
    `New users are told of a discount of ${percent(basisPoints)}${time}; granting it is up to the checkout, and it pays no credits.`,
  ];
}

import { referralLink } from '@tributary/contracts/referral-link';
import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { ReferralState, WidgetSession } from '@tributary/contracts/public/widget-session';
import type { WidgetSettings } from '@tributary/contracts/widget-settings';
import { newUserDiscount, summarizeRules } from './rule-summaries.ts';
import { type KnownName, shownName } from './shown-name.ts';

/** What the folds have made of this user. */
export type ReferralSummary = {
  credits: WidgetSession['credits'];
  referrals: {
    total: number;
    byState: Record<ReferralState, number>;
    latest: readonly (KnownName & { state: ReferralState; at: string })[];
  };
};

/** The answer to a boot: what this user may see, and nothing that names a referred user further. */
export function sessionOf(about: {
  productUserId: string;
  productId: string;
  invite: { ucc: string; campaign: CampaignRevisionRecord } | undefined;
  summary: ReferralSummary;
  settings: WidgetSettings;
}): WidgetSession {
  const { productUserId, productId, invite, summary, settings } = about;
  const { total, byState, latest } = summary.referrals;
  return {
    productUserId,
    invite: invite
      ? {
          ucc: invite.ucc,
          link: referralLink(invite.campaign.landingUrl, productId, invite.ucc),
          campaignId: invite.campaign.campaignId,
        }
      : null,
    rules: summarizeRules(invite?.campaign.rules ?? []),
    newUserDiscount: invite ? newUserDiscount(invite.campaign) : null,
    credits: summary.credits,
    referrals: {
      total,
      byState,
      latest: latest.map(({ state, at, ...known }) => ({
        name: shownName(known, settings.referredUserName) ?? null,
        state,
        at,
      })),
    },
    theme: settings.theme,
    texts: settings.texts,
  };
}

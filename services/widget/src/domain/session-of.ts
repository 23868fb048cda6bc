import { referralLink } from '@tributary/contracts/referral-link';
import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { ReferralState, WidgetSession } from '@tributary/contracts/public/widget-session';
import type { WidgetSettings } from '@tributary/contracts/widget-settings';
import { newUserDiscount, rewardWords } from './reward-words.ts';
import { type KnownName, shownName } from './shown-name.ts';

/** What the folds have made of this user. */
export type Standing = {
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
  standing: Standing;
  settings: WidgetSettings;
}): WidgetSession {
  const { productUserId, productId, invite, standing, settings } = about;
  const { total, byState, latest } = standing.referrals;
  return {
    productUserId,
    invite: invite
      ? {
          ucc: invite.ucc,
          link: referralLink(invite.campaign.landingUrl, productId, invite.ucc),
          campaignId: invite.campaign.campaignId,
        }
      : null,
    rules: rewardWords(invite?.campaign.rules ?? []),
    newUserDiscount: invite ? newUserDiscount(invite.campaign) : null,
    credits: standing.credits,
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

import { chooseActiveCode, isRunning, newestFirst } from '@tributary/contracts/active-code';
import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';

/** A code of a user, or of whoever has it. */
export type OwnedCode = {
  ucc: string;
  status: 'issued' | 'disabled';
  campaignId: string;
  productUserId: string;
  /** When its owner got it, UTC with milliseconds. */
  issuedAt: string;
  /** When it was last issued, disabled or enabled again. */
  changedAt: string;
};

export type InviteChoice =
  | { outcome: 'has'; ucc: string; campaign: CampaignRevisionRecord }
  /** They have none that they could share: the one derived for this campaign may be issued. */
  | { outcome: 'derive'; campaign: CampaignRevisionRecord }
  | { outcome: 'none' };

/**
 * What a user who boots the widget invites with: their active code as everywhere (design 8,
 * "Lookup"), else one of the tenant's default campaign, if that runs.
 */
export function chooseInvite(
  codes: readonly OwnedCode[],
  campaignInForce: (campaignId: string) => CampaignRevisionRecord | undefined,
  defaultCampaignId: string | null,
): InviteChoice {
  // As the active link has it: one that was enabled again counts from then.
  const issued = codes
    .filter(({ status }) => status === 'issued')
    .map(({ changedAt, ...code }) => ({ ...code, issuedAt: changedAt }));
  const active = chooseActiveCode(issued.toSorted(newestFirst), campaignInForce, defaultCampaignId);
  if (active) return { outcome: 'has', ucc: active.code.ucc, campaign: active.campaign };
  const campaign = defaultCampaignId === null ? undefined : campaignInForce(defaultCampaignId);
  return isRunning(campaign) ? { outcome: 'derive', campaign } : { outcome: 'none' };
}

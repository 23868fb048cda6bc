import type { CampaignRevisionRecord } from './catalog-record.ts';

/** A code that is not disabled, the newest of its owner in its campaign. */
export type IssuedCode = {
  ucc: string;
  campaignId: string;
  /** UTC with milliseconds. */
  issuedAt: string;
};

export function isRunning(
  campaign: CampaignRevisionRecord | undefined,
): campaign is CampaignRevisionRecord {
  return campaign?.status === 'running';
}

/**
 * The code that a user shares (design 8, "Lookup"): the one in the tenant's default campaign if
 * that campaign runs, else the one issued last in any campaign that does (docs/decisions/0007).
 */
export function chooseActiveCode(
  codes: readonly IssuedCode[],
  campaignInForce: (campaignId: string) => CampaignRevisionRecord | undefined,
  defaultCampaignId: string | null,
): { code: IssuedCode; campaign: CampaignRevisionRecord } | undefined {
  const valid = codes.flatMap((code) => {
    const campaign = campaignInForce(code.campaignId);
    return isRunning(campaign) ? [{ code, campaign }] : [];
  });
  const inDefault = valid.find(({ code }) => code.campaignId === defaultCampaignId);
  return inDefault ?? valid.toSorted((a, b) => newestFirst(a.code, b.code))[0];
}

/**
 * When two codes were issued in the same millisecond, any will do as long as it is always the same.
 */
export function newestFirst(a: IssuedCode, b: IssuedCode): number {
  return descending(a.issuedAt, b.issuedAt) || descending(b.ucc, a.ucc);
}

function descending(a: string, b: string): number {
  return a > b ? -1 : a < b ? 1 : 0;
}

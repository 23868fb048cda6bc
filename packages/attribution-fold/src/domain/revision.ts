import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { compareDecimal } from '@tributary/contracts/canonical-order';

/** What attribution needs of a campaign revision. */
export type Revision = {
  revision: number;
  status: 'running' | 'stopped';
  effectiveFrom: string;
  effectiveFromSeconds: string;
} & RevisionSettings;

/** Absent members have the defaults that the contract names. */
export type RevisionSettings = Pick<
  CampaignRevisionRecord,
  'attributionWindowDays' | 'referralLoops' | 'existingUsers'
>;

export function settingsOf(revision: RevisionSettings): RevisionSettings {
  const { attributionWindowDays, referralLoops, existingUsers } = revision;
  return {
    ...(attributionWindowDays !== undefined && { attributionWindowDays }),
    ...(referralLoops !== undefined && { referralLoops }),
    ...(existingUsers !== undefined && { existingUsers }),
  };
}

/**
 * The first moment at which any revision of the campaign is in effect, in exact seconds. A revision
 * that moves it to an earlier time is in effect from that time, so all that it may change lies
 * behind it.
 */
export function campaignStart(revisions: readonly Revision[]): string | undefined {
  return revisions
    .map((revision) => revision.effectiveFromSeconds)
    .reduce<string | undefined>(
      (first, at) => (first !== undefined && compareDecimal(first, at) <= 0 ? first : at),
      undefined,
    );
}

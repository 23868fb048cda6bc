import { formatCredits } from '@tributary/rewards-fold/credits';
import type { Account, LedgerEntry, LedgerPosting } from '@tributary/rewards-fold/ledger';

/** One row with all its entries, by account; see the migration `0008_ledger_rows.sql`. */
export type PostingRow = {
  posting_id: string;
  tenant_id: string;
  recipient_id: string;
  reward_id: string;
  decision_id: string | null;
  decision_version: number | null;
  issuance_id: string | null;
  campaign_id: string;
  entitled: string | null;
  owed: string | null;
  issued: string | null;
  /** The campaign that a reward leaves which moves to another. */
  left_campaign_id: string | null;
  left_entitled: string | null;
  left_owed: string | null;
};

export const postingColumns = [
  'posting_id',
  'tenant_id',
  'recipient_id',
  'reward_id',
  'decision_id',
  'decision_version',
  'issuance_id',
  'campaign_id',
  'entitled',
  'owed',
  'issued',
  'left_campaign_id',
  'left_entitled',
  'left_owed',
] as const satisfies (keyof PostingRow)[];

/** @throws for a posting that concerns more campaigns than the two of a move. */
export function toPostingRow(posting: LedgerPosting): PostingRow {
  const { postingId, tenantId, recipientId, rewardId, cause, entries } = posting;
  // The campaign that a reward leaves is the first.
  const [own, left, ...more] = [...Map.groupBy(entries, (entry) => entry.campaignId)].reverse();
  if (!own || more.length > 0) throw new Error(`posting ${postingId} has no row`);
  return {
    posting_id: postingId,
    tenant_id: tenantId,
    recipient_id: recipientId,
    reward_id: rewardId,
    decision_id: 'issuanceId' in cause ? null : cause.decisionId,
    decision_version: 'issuanceId' in cause ? null : cause.decisionVersion,
    issuance_id: 'issuanceId' in cause ? cause.issuanceId : null,
    campaign_id: own[0],
    entitled: creditsOf(own[1], 'entitled'),
    owed: creditsOf(own[1], 'owed'),
    issued: creditsOf(own[1], 'issued'),
    left_campaign_id: left?.[0] ?? null,
    left_entitled: creditsOf(left?.[1], 'entitled'),
    left_owed: creditsOf(left?.[1], 'owed'),
  };
}

function creditsOf(entries: readonly LedgerEntry[] | undefined, account: Account): string | null {
  const entry = entries?.find((one) => one.account === account);
  return entry ? formatCredits(entry.credits) : null;
}

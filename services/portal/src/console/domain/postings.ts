import type { Posting } from '@tributary/contracts/admin/history';
import { derivedId } from '@tributary/contracts/derived-id';
import { isNegative } from './exact-decimal.ts';

/** A movement of credits as the read model finds it: a version of a reward, or an issuance. */
export type Movement = {
  at: string;
  recipientId: string;
  rewardId: string;
  eventId: string | null;
  version: number | null;
  issuanceId: string | null;
  campaignId: string;
  /** What the campaign promises more than before; of an issuance what was granted. */
  credits: string;
  /** The campaign that the reward has left, and what it no longer promises. */
  leftCampaignId: string | null;
  leftCredits: string | null;
};

/** The posting of the ledger of rewards, under the id that it has there. */
export function postingOf(movement: Movement): Posting {
  const { at, recipientId, rewardId, eventId, version, issuanceId } = movement;
  const common = { at, recipientId, rewardId, ...(eventId !== null && { eventId }) };
  if (issuanceId !== null) {
    const { campaignId, credits } = movement;
    return {
      ...common,
      postingId: derivedId('ledger-posting', 'issuance', issuanceId),
      ...{ kind: 'issuance', issuanceId },
      entries: moved({ campaignId, credits, from: 'owed', to: 'issued' }),
    };
  }
  return {
    ...common,
    postingId: derivedId('ledger-posting', 'entitlement', rewardId, version ?? 0),
    ...{ kind: 'entitlement', rewardVersion: version ?? 0 },
    entries: entitledEntries(movement),
  };
}

/** The campaign that is left comes first, as in the ledger. */
function entitledEntries(movement: Movement): Posting['entries'] {
  const { campaignId, credits, leftCampaignId, leftCredits } = movement;
  const accounts = { from: 'entitled', to: 'owed' } as const;
  return [
    ...(leftCampaignId !== null && leftCredits !== null
      ? moved({ ...accounts, campaignId: leftCampaignId, credits: negated(leftCredits) })
      : []),
    ...moved({ ...accounts, campaignId, credits }),
  ];
}

type Account = Posting['entries'][number]['account'];

function moved({
  campaignId,
  credits,
  from,
  to,
}: {
  campaignId: string;
  credits: string;
  from: Account;
  to: Account;
}): Posting['entries'] {
  if (credits === '0') return [];
  return [
    { account: from, campaignId, credits: negated(credits) },
    { account: to, campaignId, credits },
  ];
}

function negated(credits: string): string {
  return isNegative(credits) ? credits.slice(1) : `-${credits}`;
}

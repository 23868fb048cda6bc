import { derivedId } from '@tributary/contracts/derived-id';
import type { Credits } from './credits.ts';
import type { Entitlement, Issuance, RecipientKey } from './entitlement.ts';

/**
 * Double entry. Three accounts, each per campaign; the two of the recipient also per recipient:
 *
 *   entitled  what the campaign has promised, as a negative number (its cost)
 *   owed      what the recipient still has to get; below zero, what the recipient owes
 *   issued    what the recipient has been granted
 *
 * A promise moves credits from `entitled` to `owed`, an issuance from `owed` to `issued`. So for
 * every recipient `-entitled = owed + issued` (design 4, promise 4). Whether a part of `owed` is
 * held back is a state of the reward, no account: time passing posts nothing.
 */
export type Account = 'entitled' | 'owed' | 'issued';

export type LedgerEntry = { account: Account; campaignId: string; credits: Credits };

export type LedgerPosting = RecipientKey & {
  postingId: string;
  rewardId: string;
  /** The first one of its reward, which is stored with it. */
  opens?: true;
  cause: { decisionId: string; decisionVersion: number } | { issuanceId: string };
  entries: readonly LedgerEntry[];
};

/** The difference between two versions of an entitlement; undefined when no amount changed. */
export function postEntitlement(
  before: Entitlement | undefined,
  after: Entitlement,
): LedgerPosting | undefined {
  const { rewardId, tenantId, recipientId, version, cause } = after;
  const moved = new Map<string, Credits>();
  const add = (campaignId: string, credits: Credits) =>
    moved.set(campaignId, (moved.get(campaignId) ?? 0n) + credits);
  if (before) add(before.campaignId, -before.entitled);
  add(after.campaignId, after.entitled);

  const entries = [...moved]
    .filter(([, credits]) => credits !== 0n)
    .flatMap(([campaignId, credits]): LedgerEntry[] => [
      { account: 'entitled', campaignId, credits: -credits },
      { account: 'owed', campaignId, credits },
    ]);
  if (entries.length === 0 || !cause) return undefined;
  return {
    postingId: before ? derivedId('ledger-posting', 'entitlement', rewardId, version) : rewardId,
    ...(!before && { opens: true }),
    tenantId,
    recipientId,
    rewardId,
    cause: { decisionId: cause.decisionId, decisionVersion: cause.decisionVersion },
    entries,
  };
}

export function postIssuance(fact: Issuance): LedgerPosting {
  const { issuanceId, rewardId, tenantId, recipientId, campaignId, credits } = fact;
  return {
    postingId: issuanceId,
    tenantId,
    recipientId,
    rewardId,
    cause: { issuanceId },
    entries: [
      { account: 'owed', campaignId, credits: -credits },
      { account: 'issued', campaignId, credits },
    ],
  };
}

import { rewardDigest, type RewardLine, toLine } from '@tributary/contracts/state-item';
import type { TextRow } from '@tributary/runtime/read-pages';
import { parseCredits } from '@tributary/rewards-fold/credits';
import { type ReviewReason, stateOf } from '@tributary/rewards-fold/entitlement';
import { isWithdrawn } from '@tributary/rewards-fold/fold-recipient';
import { type StoredTexts, textsFromRow } from '../db/reward-texts.ts';

/** Undefined for a reward that was withdrawn and never issued: a fold from scratch knows none. */
export function rewardLine(row: TextRow): string | undefined {
  const [rewardId, version, tenantId, recipientId, campaignId, state, entitled, issued] = row;
  const [revision, ruleId, recipientRole, businessKey, eventId, seconds, receivedAt] = row.slice(8);
  const [maturesAt, action, reviewsText, , , issuedCampaignId, facts] = row.slice(15);
  const unlike =
    facts === issued ? undefined : `its issuances sum up to ${facts}, and not to what it has`;
  const identity = { kind: 'reward', tenantId, recipientId, rewardId } as const;
  const amounts = { entitled, issued, state };
  const { tests: ownTests, calculation } = textsOf(row);
  if (version === '0' || isWithdrawn({ calculation })) {
    if (issued === '0' && unlike === undefined) return undefined;
    const campaign = issuedCampaignId ?? campaignId;
    const nothing = { ruleId: '', recipientRole: '', month: '', digest: unlike ?? '' };
    return toLine({ ...identity, campaignId: campaign, ...nothing, ...amounts } as RewardLine);
  }
  const reviews = JSON.parse(reviewsText!) as ReviewReason[];
  const digest = rewardDigest({
    ...{ rewardId: rewardId!, tenantId: tenantId!, recipientId: recipientId! },
    ...{ campaignId: campaignId!, campaignRevision: Number(revision), ruleId: ruleId! },
    ...{ recipientRole: recipientRole!, businessKey: businessKey!, eventId: eventId! },
    ...{ occurredAtSeconds: seconds!, receivedAt: receivedAt!, entitled: entitled! },
    ...{ maturesAt: maturesAt ?? undefined, reviews, action: action ?? undefined },
    ...{ tests: ownTests, calculation },
  });
  const follows = stateFollows({ state, entitled, issued, action, reviews });
  return toLine({
    ...identity,
    ...{ campaignId, ruleId, recipientRole, month: monthOf(seconds!), ...amounts },
    digest: follows
      ? (unlike ?? digest)
      : `its state, ${state}, does not follow from the rest of its row`,
  } as RewardLine);
}

function textsOf(row: TextRow) {
  const [recipient_id, campaign_id] = row.slice(3);
  const [rule_id] = row.slice(9);
  const [testsText, calculationText, , , textsText, new_user_id, occurred_at] = row.slice(18);
  const [tests, calculation, texts] = [testsText, calculationText, textsText].map(
    (text) => JSON.parse(text ?? 'null') as unknown,
  );
  const names = { recipient_id, campaign_id, rule_id, new_user_id, occurred_at };
  return textsFromRow({ ...names, texts, tests, calculation } as StoredTexts);
}

/**
 * A state is not compared, as netting and its moment are history; but not any state is possible.
 */
function stateFollows(
  row: Record<'state' | 'entitled' | 'issued', string | null | undefined> & {
    action: string | null | undefined;
    reviews: readonly ReviewReason[];
  },
): boolean {
  const { state, entitled, issued, action, reviews } = row;
  const derived = stateOf({
    ...{ state, reviews, entitled: parseCredits(entitled!), issued: parseCredits(issued!) },
    ...(typeof action === 'string' && { action }),
  } as Parameters<typeof stateOf>[0]);
  return derived === state;
}

/** Undefined for one who has and had nothing. */
export function recipientLine(row: TextRow): string | undefined {
  const [tenantId, recipientId, entitled, issued, ledgerEntitled, ledgerIssued, owed] = row;
  if (row.slice(2).every((credits) => credits === '0')) return undefined;
  return toLine({
    ...{ kind: 'recipient', tenantId: tenantId!, recipientId: recipientId! },
    entitled: agreed(entitled!, ledgerEntitled!),
    issued: agreed(issued!, ledgerIssued!),
    owed: owed!,
  });
}

/** What the running total and the ledger both say; else both. */
function agreed(total: string, ledger: string): string {
  return total === ledger ? total : `${total}, and ${ledger} by the ledger`;
}

/** `2026-03` in UTC, of exact seconds since the epoch. */
function monthOf(seconds: string): string {
  const [whole = '', fraction = ''] = seconds.split('.');
  const below = whole.startsWith('-') && /[1-9]/.test(fraction) ? 1 : 0;
  return new Date((Number(whole) - below) * 1_000).toISOString().slice(0, -17);
}

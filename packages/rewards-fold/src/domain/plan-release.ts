import { compareCanonical } from '@tributary/contracts/canonical-order';
import { derivedId } from '@tributary/contracts/derived-id';
import { type Credits, formatCredits, leastCredits } from './credits.ts';
import {
  type Entitlement,
  isBlocked,
  type Issuance,
  type RecipientKey,
  releaseAtOf,
  type RewardAction,
  stateOf,
} from './entitlement.ts';
import { correctionSentence, countIssuances, issuanceIdOf } from './fold-recipient.ts';
import { countActions } from './operator-action.ts';
import {
  changeRecipient,
  type RecipientChange,
  settledBalance,
  type Totals,
} from './recipient-change.ts';

export type ReleaseInput = {
  recipient: RecipientKey;
  totals: Totals;
  /** Rewards with something open: held ones, and settled ones that were not paid in full. */
  open: readonly Entitlement[];
  /** Issuances of these rewards that this generation has not counted yet. */
  facts: readonly Issuance[];
  /** What operators said about them that this generation has not counted yet. */
  actions?: readonly RewardAction[];
  /** Now, UTC with milliseconds: what is held beyond it stays held. */
  issuedAt: string;
};

export type Release = { change: RecipientChange; issuances: readonly Issuance[] };

/**
 * What to grant now. First what the recipient owes (rewards withdrawn or reduced after they were
 * issued) is netted in canonical order against held rewards whose hold has ended; the rest of each
 * is granted. Where settled rewards leave something open in the recipient's favour (one has grown,
 * or came back after its credits had been netted), that is granted as a correction. So all that
 * was ever issued is never more than what is entitled now or was entitled before, and no amount is
 * zero or less. What waits for an operator or for the end of its hold takes no part, and nothing is
 * netted against it.
 */
export function planRelease(input: ReleaseInput): Release {
  const { recipient, facts, actions = [], issuedAt } = input;
  const before = new Map(input.open.map((reward) => [reward.rewardId, reward]));
  const after = new Map(before);
  countIssuances(after, facts);
  countActions(after, actions);
  const counted = changeRecipient({ recipient, totals: input.totals, before, after, facts });
  const plan = createPlan(after, issuedAt);

  const inOrder = [...after.values()]
    .map((reward) => ({ ...reward, state: stateOf(reward) }))
    .sort(byCause);
  const balance = settledBalance(counted.totals);
  let owing = balance < 0n ? -balance : 0n;
  let surplus = balance > 0n ? balance : 0n;
  for (const reward of inOrder) {
    const open = reward.entitled - reward.issued;
    if (open <= 0n) continue;
    const releaseAt = releaseAtOf(reward);
    if (releaseAt !== undefined && releaseAt <= issuedAt) {
      const netted = leastCredits(owing, open);
      owing -= netted;
      plan.settle(reward, open - netted, netted);
    } else if (reward.state === 'issued' && surplus > 0n && !isBlocked(reward)) {
      const correction = leastCredits(surplus, open);
      surplus -= correction;
      plan.correct(reward, correction);
    }
  }
  const allFacts = [...facts, ...plan.issuances];
  const change = changeRecipient({
    recipient,
    totals: input.totals,
    before,
    after,
    facts: allFacts,
  });
  return { change, issuances: plan.issuances };
}

function createPlan(rewards: Map<string, Entitlement>, issuedAt: string) {
  const issuances: Issuance[] = [];

  function grant(reward: Entitlement, credits: Credits): void {
    if (credits <= 0n) return;
    const fact = issuanceOf(reward, credits, issuedAt);
    issuances.push(fact);
    countIssuances(rewards, [fact]);
  }

  function note(reward: Entitlement, sentence: string): Entitlement {
    const noted = { ...reward, settlement: [...reward.settlement, sentence] };
    rewards.set(reward.rewardId, noted);
    return noted;
  }

  return {
    issuances,
    settle(reward: Entitlement, credits: Credits, netted: Credits): void {
      let settled: Entitlement = { ...reward, state: 'issued' };
      rewards.set(reward.rewardId, settled);
      if (netted > 0n) {
        settled = note(
          settled,
          `${formatCredits(netted)} credits were netted against credits withdrawn after their issue.`,
        );
      }
      grant(settled, credits);
    },
    correct(reward: Entitlement, credits: Credits): void {
      // After a reward was netted in full this is its first issuance, which does not tell.
      const noted = reward.issuances === 0 ? note(reward, correctionSentence(credits)) : reward;
      grant(noted, credits);
    },
  };
}

function issuanceOf(reward: Entitlement, credits: Credits, issuedAt: string): Issuance {
  const { rewardId, tenantId, recipientId, campaignId } = reward;
  const issuanceId = issuanceIdOf(rewardId, reward.issuances);
  const webhookEventId = derivedId('webhook-event', issuanceId);
  return {
    issuanceId,
    rewardId,
    tenantId,
    recipientId,
    campaignId,
    credits,
    issuedAt,
    webhookEventId,
  };
}

/** Every reward with something open has a cause: a stub is entitled to nothing. */
function byCause(a: Entitlement, b: Entitlement): number {
  if (!a.cause || !b.cause) return a.cause ? -1 : b.cause ? 1 : 0;
  return compareCanonical(a.cause, b.cause) || (a.rewardId < b.rewardId ? -1 : 1);
}

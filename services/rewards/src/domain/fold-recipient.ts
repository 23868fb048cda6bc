import { compareCanonical } from '@tributary/contracts/canonical-order';
import { formatCredits } from './credits.ts';
import { entitleDecision, quoted, type Claim, type Target } from './entitle-decision.ts';
import { type Entitlement, type Issuance, type RecipientKey, stubOf } from './entitlement.ts';
import { changeRecipient, type RecipientChange, type Totals } from './recipient-change.ts';

/**
 * What a recipient is entitled to is a function of the set of current decisions. With rules that
 * look at one decision only, a step needs nothing of the steps before it; so the fold starts at
 * the business facts that changed and stops right after them. Rules that look back (caps, tiers)
 * will start at a checkpoint instead.
 */
export type RecipientFold = {
  recipient: RecipientKey;
  totals: Totals;
  /** Business facts to compute anew. */
  businessKeys: ReadonlySet<string>;
  /** All current decisions with those keys, whatever their outcome. */
  claims: readonly Claim[];
  /** Stored rewards of the recipient with those keys, and the rewards that `facts` name. */
  stored: readonly Entitlement[];
  /** Issuances that this generation has not counted yet. */
  facts: readonly Issuance[];
};

export function foldRecipient(fold: RecipientFold): RecipientChange {
  const { recipient, totals, facts } = fold;
  const before = new Map(fold.stored.map((reward) => [reward.rewardId, reward]));
  const after = new Map(before);
  const targets = targetsOf(fold);

  for (const [rewardId, target] of targets)
    after.set(rewardId, entitle(after.get(rewardId), target));
  for (const [rewardId, reward] of before) {
    const key = reward.cause?.businessKey;
    if (key !== undefined && fold.businessKeys.has(key) && !targets.has(rewardId)) {
      after.set(rewardId, withdraw(reward, fold.claims));
    }
  }
  countIssuances(after, facts);
  return changeRecipient({ recipient, totals, before, after, facts });
}

/** Adds facts to the rewards they were granted for. */
export function countIssuances(
  rewards: Map<string, Entitlement>,
  facts: readonly Issuance[],
): void {
  for (const fact of facts) {
    const reward = rewards.get(fact.rewardId) ?? stubOf(fact);
    rewards.set(fact.rewardId, {
      ...reward,
      issued: reward.issued + fact.credits,
      issuances: reward.issuances + 1,
    });
  }
}

/**
 * One target per reward. While a business fact moves from one event to another, both may claim it
 * for a moment; the first in canonical order has it, so it is never given twice.
 */
function targetsOf({ recipient, claims }: RecipientFold): Map<string, Target> {
  const targets = new Map<string, Target>();
  for (const claim of claims) {
    for (const target of entitleDecision(claim)) {
      if (target.recipientId !== recipient.recipientId) continue;
      if (target.tenantId !== recipient.tenantId) continue;
      const rival = targets.get(target.rewardId);
      if (!rival || compareCanonical(target.cause, rival.cause) < 0) {
        targets.set(target.rewardId, target);
      }
    }
  }
  return targets;
}

function entitle(stored: Entitlement | undefined, target: Target): Entitlement {
  const { credits, cause, explanation, ...identity } = target;
  return {
    ...(stored ?? { version: 0, issued: 0n, issuances: 0, settlement: [] }),
    ...identity,
    // A reward that comes back after its withdrawal starts anew; amounts decide (see stateOf).
    state: stored?.state === 'issued' ? 'issued' : 'held',
    entitled: credits,
    cause,
    explanation,
  };
}

function withdraw(reward: Entitlement, claims: readonly Claim[]): Entitlement {
  if (!reward.cause) return reward;
  const { decisionId } = reward.cause;
  if (reward.entitled === 0n) return reward;
  const claim = claims.find((claim) => claim.decision.decisionId === decisionId);
  return {
    ...reward,
    entitled: 0n,
    cause: {
      ...reward.cause,
      decisionVersion: claim?.decision.version ?? reward.cause.decisionVersion,
    },
    explanation: [...reward.explanation, withdrawalSentence(reward, claim)],
  };
}

function withdrawalSentence(reward: Entitlement, claim: Claim | undefined): string {
  const taken = `The entitlement of ${formatCredits(reward.entitled)} credits is withdrawn`;
  if (!claim) return `${taken}: its decision is not current any more.`;
  const { outcome, reason, duplicateOf, referrerId, campaignId, campaignRevision } = claim.decision;
  if (outcome === 'attributed') {
    const revision = `revision ${campaignRevision} of campaign ${quoted(campaignId ?? '')}`;
    return claim.revision
      ? `${taken}: the event is now credited to referrer ${quoted(referrerId ?? '')} under ${revision}.`
      : `${taken}: the event is now decided under ${revision}, which has not arrived yet.`;
  }
  const why = reason === undefined ? '' : ` (${reason})`;
  const rival = duplicateOf === undefined ? '' : `, a duplicate of event ${duplicateOf}`;
  return `${taken}: the event is now ${outcome}${why}${rival}.`;
}

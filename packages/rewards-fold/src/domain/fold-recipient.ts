import { derivedId } from '@tributary/contracts/derived-id';
import { type Credits, creditsInWords, formatCredits } from './credits.ts';
import { type Entitlement, type Issuance, type RecipientKey, stubOf } from './entitlement.ts';
import { changeRecipient, type RecipientChange, type Totals } from './recipient-change.ts';
import type { Claim } from './step.ts';
import type { Target } from './target.ts';
import { quoted } from './candidate-reward.ts';

/**
 * From what a recipient is entitled to, to the difference to what is stored. For the business facts
 * that were folded, what is stored and not among the targets is withdrawn.
 */
export type RecipientFold = {
  recipient: RecipientKey;
  totals: Totals;
  /** Business facts that were folded anew. */
  businessKeys: ReadonlySet<string>;
  /** Current decisions with those keys; only to say why something is withdrawn. */
  claims: readonly Claim[];
  /** All rewards for those keys, and others whose limits count differently now. */
  targets: readonly Target[];
  /** Stored rewards of the recipient with those keys, those of the targets and of `facts`. */
  stored: readonly Entitlement[];
  /** Issuances that this generation has not counted yet. */
  facts: readonly Issuance[];
};

export function foldRecipient(fold: RecipientFold): RecipientChange {
  const { recipient, totals, facts } = fold;
  const before = new Map(fold.stored.map((reward) => [reward.rewardId, reward]));
  const after = new Map(before);
  const targets = new Map(fold.targets.map((target) => [target.rewardId, target]));

  for (const [rewardId, target] of targets) {
    after.set(rewardId, entitle(after.get(rewardId), target));
  }
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
      settlement: isFirst(fact)
        ? reward.settlement
        : [...reward.settlement, correctionSentence(fact.credits)],
    });
  }
}

/** All others are corrections. Told by the id, so in whatever order they are read. */
function isFirst({ issuanceId, rewardId }: Issuance): boolean {
  return issuanceId === issuanceIdOf(rewardId, 0);
}

/** The nth issuance of a reward, from 0. */
export function issuanceIdOf(rewardId: string, n: number): string {
  return derivedId('issuance', rewardId, n);
}

export function correctionSentence(credits: Credits): string {
  return `${formatCredits(credits)} credits were issued as a correction.`;
}

function entitle(stored: Entitlement | undefined, target: Target): Entitlement {
  const { credits, ...rest } = target;
  const { maturesAt: _held, ...kept } = stored ?? {
    version: 0,
    issued: 0n,
    issuances: 0,
    settlement: [],
  };
  // A reward that comes back after its withdrawal starts anew; amounts decide (see stateOf).
  const state = stored?.state === 'issued' ? 'issued' : 'held';
  return { ...kept, ...rest, state, entitled: credits };
}

/** Was it taken back already? A reward that a limit cut to nothing was not. */
export function isWithdrawn({ calculation }: Pick<Entitlement, 'calculation'>): boolean {
  return calculation.at(-1)?.step === 'withdrawal';
}

function withdraw(reward: Entitlement, claims: readonly Claim[]): Entitlement {
  if (!reward.cause || isWithdrawn(reward)) return reward;
  const { decisionId } = reward.cause;
  const claim = claims.find((claim) => claim.decision.decisionId === decisionId);
  const detail = withdrawalSentence(reward, claim);
  return {
    ...reward,
    entitled: 0n,
    cause: {
      ...reward.cause,
      decisionVersion: claim?.decision.version ?? reward.cause.decisionVersion,
    },
    calculation: [...reward.calculation, { step: 'withdrawal', detail, credits: '0' }],
    explanation: [...reward.explanation, detail],
  };
}

function withdrawalSentence(reward: Entitlement, claim: Claim | undefined): string {
  const taken = `The entitlement of ${creditsInWords(reward.entitled)} is withdrawn`;
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

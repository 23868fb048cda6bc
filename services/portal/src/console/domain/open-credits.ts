import type { RewardActionRecord } from '@tributary/contracts/issuance-record';
import { type KeptBack, keptBackAs, type ShownReward } from '@tributary/contracts/reward-state';
import { isNegative, isPositive, least, minus } from './exact-decimal.ts';

/**
 * What of a reward is open: the difference between what it entitles to and what was issued of it.
 *
 * - `held`, `review`, `withheld`: kept back, see `keptBackAs`
 * - `offset`: settled without being issued, as it went into what the recipient owed
 * - `correction`: the next release issues it
 * - `excess`: issued beyond the entitlement; other rewards are offset against it
 *
 * So of a recipient `owed = held + review + withheld + offset + correction - excess`, over all
 * rewards.
 */
export type OpenPart = {
  as: KeptBack | 'offset' | 'correction' | 'excess';
  /** Exact decimal above zero. */
  credits: string;
};

/** A settled part is an offset or a correction: the balance of the recipient says which. */
export type RewardPart = { as: KeptBack | 'settled' | 'excess'; credits: string };

/** What the reward alone says; undefined when nothing of it is open. */
export function openPartOf(
  reward: ShownReward,
  action: RewardActionRecord['type'] | undefined,
): RewardPart | undefined {
  const open = minus(reward.entitledCredits, reward.issuedCredits);
  if (isNegative(open)) return { as: 'excess', credits: open.slice(1) };
  if (!isPositive(open)) return undefined;
  const { state, reviewReasons: reviews = [] } = reward;
  return { as: keptBackAs({ state, reviews, action }) ?? 'settled', credits: open };
}

/** `correction` is how much of a settled part is paid next. */
export function toOpenParts(part: RewardPart | undefined, correction = '0'): OpenPart[] {
  if (part === undefined) return [];
  if (part.as !== 'settled') return [{ as: part.as, credits: part.credits }];
  const paidNext = least(part.credits, correction);
  const parts: OpenPart[] = [
    { as: 'offset', credits: minus(part.credits, paidNext) },
    { as: 'correction', credits: paidNext },
  ];
  return parts.filter(({ credits }) => isPositive(credits));
}

/**
 * How a release spreads what a recipient's settled rewards leave open in the recipient's favour:
 * over those with a settled part, in the canonical order in which they are given here.
 */
export function correctionsOf(
  inOrder: readonly { rewardId: string; credits: string }[],
  surplus: string,
): Map<string, string> {
  const corrections = new Map<string, string>();
  let left = surplus;
  for (const { rewardId, credits } of inOrder) {
    if (!isPositive(left)) break;
    const paidNext = least(left, credits);
    corrections.set(rewardId, paidNext);
    left = minus(left, paidNext);
  }
  return corrections;
}

/**
 * What settled rewards leave open of a balance. Above zero: paid next, as corrections. Below zero:
 * the recipient owes it, and it is offset against what becomes payable next.
 */
export function settledBalance(
  balance: Record<'owed' | 'held' | 'review' | 'withheld', string>,
): string {
  const { owed, held, review, withheld } = balance;
  return [held, review, withheld].reduce(minus, owed);
}

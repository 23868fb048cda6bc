import type { Effect, FixedEffect, PercentEffect } from '@tributary/contracts/campaign-rule';
import { minorUnitExponent } from '@tributary/contracts/currency';
import type { Purchase } from '@tributary/contracts/event-record';
import { type Credits, creditsInWords, parseCredits, roundTo } from './credits.ts';

/**
 * What an effect gives, rounded once, half-even to the scale of the campaign. A percentage is exact
 * until then: minor units, basis points and rate are integers, their product a BigInt.
 */
export function creditsOf(
  effect: FixedEffect | PercentEffect,
  purchase: Pick<Purchase, 'amount' | 'currency'> | undefined,
  scale: number,
): Credits {
  switch (effect.kind) {
    case 'fixed':
      return roundTo(scale, parseCredits(effect.credits));
    case 'percent': {
      const { basisPoints, creditsPerMajorUnit } = effect;
      const { amount = 0, currency = '' } = purchase ?? {};
      const exponent = minorUnitExponent(currency);
      if (exponent === undefined || !Object.hasOwn(creditsPerMajorUnit, currency)) return 0n;
      const rate = parseCredits(creditsPerMajorUnit[currency] ?? '0');
      const numerator = BigInt(amount) * BigInt(basisPoints) * rate;
      return roundTo(scale, numerator, 10_000n * 10n ** BigInt(exponent));
    }
    default:
      return effect satisfies never;
  }
}

/** The share of an amount that is left, rounded the same way. */
export function shareOf(credits: Credits, [part, whole]: Share, scale: number): Credits {
  return part === whole ? credits : roundTo(scale, credits * part, whole);
}

/** `part` of `whole`, both integers, `whole` above zero. */
export type Share = readonly [part: bigint, whole: bigint];

/** The effect that holds once so many users count; see `tiers.ts`. */
export function effectAt(
  effect: Effect,
  reached: (fromCount: number) => boolean,
): { effect: FixedEffect | PercentEffect; fromCount?: number } {
  if (effect.kind !== 'tiered') return { effect };
  const tiers = [...effect.tiers].sort((a, b) => a.fromCount - b.fromCount);
  const tier = tiers.findLast(({ fromCount }, i) => i === 0 || reached(fromCount));
  if (!tier) throw new Error('a tiered effect without tiers');
  return { effect: tier.effect, fromCount: tier.fromCount };
}

export function effectText(effect: FixedEffect | PercentEffect, currency: string): string {
  if (effect.kind === 'fixed') return 'a fixed amount';
  const percent = `${effect.basisPoints / 100} %`;
  const rate = effect.creditsPerMajorUnit[currency] ?? '0';
  return `${percent} of what was paid, at ${creditsInWords(parseCredits(rate))} for 1 ${currency}`;
}

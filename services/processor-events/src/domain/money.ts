import { minorUnitExponent } from '@tributary/contracts/currency';

/**
 * A currency of the contract, and how many of its minor units one of Stripe's is: `times / per`.
 */
export type Scale = { currency: string; times: bigint; per: bigint };

/**
 * Stripe counts in the minor units of ISO 4217, but for three currencies: it takes whole ariary,
 * and hundredths of the krona and the Ugandan shilling. Undefined for what is not in the contract's
 * list.
 */
export function scaleOf(stripeCurrency: string): Scale | undefined {
  const currency = stripeCurrency.toUpperCase();
  if (minorUnitExponent(currency) === undefined) return undefined;
  return { currency, ...(exceptions[currency] ?? { times: 1n, per: 1n }) };
}

const exceptions: Readonly<Record<string, Pick<Scale, 'times' | 'per'>>> = {
  MGA: { times: 100n, per: 1n },
  ISK: { times: 1n, per: 100n },
  UGX: { times: 1n, per: 100n },
};

/** Which part of a payment counts: all of it, or what is left without its tax. */
export type Share = { of: bigint; in: bigint };
export const whole: Share = { of: 1n, in: 1n };

/** The part without tax of what was paid for this total. `whole` when there is nothing to share. */
export function shareWithoutTax(total: number, totalExcludingTax: number | null): Share {
  if (totalExcludingTax === null || total <= 0 || totalExcludingTax < 0) return whole;
  return { of: BigInt(totalExcludingTax), in: BigInt(total) };
}

/** In minor units of ISO 4217, rounded once, half to even. */
export function inMinorUnits(amount: number, scale: Scale, share: Share): bigint {
  const [top, bottom] = fraction(amount, scale, share);
  const floor = floorDivide(top, bottom);
  const twice = 2n * (top - floor * bottom);
  if (twice === bottom) return floor + (floor & 1n);
  return twice > bottom ? floor + 1n : floor;
}

/** The same, rounded up. */
export function inMinorUnitsUp(amount: number, scale: Scale, share: Share): bigint {
  const [top, bottom] = fraction(amount, scale, share);
  return 0n - floorDivide(0n - top, bottom);
}

function fraction(amount: number, scale: Scale, share: Share): [bigint, bigint] {
  return [BigInt(amount) * scale.times * share.of, scale.per * share.in];
}

function floorDivide(top: bigint, bottom: bigint): bigint {
  const quotient = top / bottom;
  return top < 0n && quotient * bottom !== top ? quotient - 1n : quotient;
}

/** Interface 2.1: 0 to 2^53 - 1. Undefined for other amounts. */
export function contractAmount(amount: bigint): number | undefined {
  return amount >= 0n && amount <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(amount) : undefined;
}

import type { PercentEffect } from '@tributary/contracts/campaign-rule';
import { minorUnitExponent } from '@tributary/contracts/currency';

/** `a, b or c`. */
export function listing(items: readonly string[], joiner: 'and' | 'or'): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} ${joiner} ${last}`;
}

/** `1 day`, `14 days`. */
export function counted(count: number | string, noun: string): string {
  return `${count} ${noun}${String(count) === '1' ? '' : 's'}`;
}

/** `1st`, `2nd`, `11th`. */
export function ordinal(n: number): string {
  const teens = n % 100 >= 11 && n % 100 <= 13;
  const ending = teens ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${ending}`;
}

/** Basis points as percent: `10 %`, `12.5 %`. */
export function percent(basisPoints: number): string {
  return `${trimmed(BigInt(basisPoints), 2)} %`;
}

/** Minor units as people write them: `12.50 EUR`, `500 JPY`. */
export function money(amountMinor: number | bigint, currency: string): string {
  return `${decimal(BigInt(amountMinor), minorUnitExponent(currency) ?? 0)} ${currency}`;
}

/**
 * What a share of 100 major units of a currency earns, rounded half-even to the campaign's scale.
 */
export function creditsForHundred(
  { basisPoints, creditsPerMajorUnit }: PercentEffect,
  currency: string,
  creditScale: number,
): string {
  const [whole = '0', fraction = ''] = (creditsPerMajorUnit[currency] ?? '0').split('.');
  // Millionths of credits per unit × 100 units × basis points / 10,000: credits in 10^-8.
  const exact = BigInt(whole + fraction.padEnd(6, '0')) * BigInt(basisPoints);
  const step = 10n ** BigInt(8 - creditScale);
  const twice = (exact % step) * 2n;
  const down = exact / step;
  const up = twice > step || (twice === step && down % 2n === 1n);
  return trimmed(up ? down + 1n : down, creditScale);
}

/** The digits with a point before the last `places`. */
function decimal(digits: bigint, places: number): string {
  if (places === 0) return digits.toString();
  const text = digits.toString().padStart(places + 1, '0');
  return `${text.slice(0, -places)}.${text.slice(-places)}`;
}

function trimmed(digits: bigint, places: number): string {
  const text = decimal(digits, places);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

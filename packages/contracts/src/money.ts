import { minorUnitExponent } from './currency.ts';

/**
 * An amount as a person writes it: 4900 minor units of EUR are `49.00 EUR`, of JPY `4900 JPY`. Of a
 * currency that is not in the list it says that the units are minor ones.
 */
export function formatMoney(amountMinor: number, currency: string): string {
  const exponent = minorUnitExponent(currency);
  if (exponent === undefined) return `${amountMinor} ${currency} (minor units)`;
  if (exponent === 0) return `${amountMinor} ${currency}`;
  const digits = String(amountMinor).padStart(exponent + 1, '0');
  return `${digits.slice(0, -exponent)}.${digits.slice(-exponent)} ${currency}`;
}

import type { Language } from '../i18n/language.ts';

const marks: Record<Language, { group: string; decimal: string }> = {
  en: { group: ',', decimal: '.' },
  de: { group: '.', decimal: ',' },
};

/**
 * A decimal number of the API as people read it, digit for digit: it is never made a number, which
 * would round it. `-1234567.50` is `-1,234,567.50` or `-1.234.567,50`.
 */
export function formatDecimal(text: string, language: Language): string {
  const match = /^([-+]?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) return text;
  const [, sign = '', whole = '', fraction] = match;
  const { group, decimal } = marks[language];
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group);
  return `${sign.replace('-', '−')}${grouped}${fraction === undefined ? '' : decimal + fraction}`;
}

/** Minor units of a currency with that many digits behind the point, as an exact decimal. */
export function fromMinorUnits(minor: string | number | bigint, exponent: number): string {
  const units = BigInt(minor);
  const digits = (units < 0n ? -units : units).toString().padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  const fraction = digits.slice(digits.length - exponent);
  return `${units < 0n ? '-' : ''}${whole}${exponent === 0 ? '' : `.${fraction}`}`;
}

/** The exact sum of decimals of the API. */
export function addDecimals(amounts: readonly string[]): string {
  const exponent = Math.max(0, ...amounts.map((text) => text.split('.')[1]?.length ?? 0));
  const sum = amounts.reduce((total, text) => {
    const [whole = '0', fraction = ''] = text.split('.');
    return total + BigInt(whole + fraction.padEnd(exponent, '0'));
  }, 0n);
  return fromMinorUnits(sum, exponent);
}

/** The exact difference of plain decimals, such as credits are in records: `10`, `-2.5`. */
export function minus(a: string, b: string): string {
  const places = Math.max(placesOf(a), placesOf(b));
  const value = scaled(a, places) - scaled(b, places);
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The exact sum. */
export function plus(a: string, b: string): string {
  return minus(a, isNegative(b) ? b.slice(1) : `-${b}`);
}

export function isNegative(amount: string): boolean {
  return amount.startsWith('-');
}

/** Above zero. */
export function isPositive(amount: string): boolean {
  return !isNegative(amount) && /[1-9]/.test(amount);
}

export function least(a: string, b: string): string {
  return isNegative(minus(a, b)) ? a : b;
}

function placesOf(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}

function scaled(text: string, places: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(places, '0')}`);
}

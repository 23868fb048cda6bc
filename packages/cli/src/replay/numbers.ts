/** `1,234,567`, with what they are of. */
export function counted(count: number, unit = ''): string {
  const text = Math.round(count).toLocaleString('en-US');
  return unit === '' ? text : `${text} ${unit}`;
}

/** An exact decimal with separators: `12,345.50`. No number is made of it. */
export function credits(text: string): string {
  const [, sign = '', whole = text, fraction = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(text) ?? [];
  return `${sign}${whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')}${fraction}`;
}

/** What is between two exact decimals, as `+12.5`, `-3` or `0`. */
export function change(before: string, after: string): string {
  const decimals = Math.max(decimalsOf(before), decimalsOf(after));
  const difference = scaled(after, decimals) - scaled(before, decimals);
  if (difference === 0n) return '0';
  const digits = String(difference < 0n ? -difference : difference).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${difference < 0n ? '-' : '+'}${credits(fraction === '' ? whole : `${whole}.${fraction}`)}`;
}

function decimalsOf(text: string): number {
  const point = text.indexOf('.');
  return point === -1 ? 0 : text.length - point - 1;
}

function scaled(text: string, decimals: number): bigint {
  return BigInt(text.replace('.', '') + '0'.repeat(decimals - decimalsOf(text)));
}

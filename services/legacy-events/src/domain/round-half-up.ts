export type RoundedNumber = { value: bigint; rounded: boolean };

/** Zeros that an exponent may add: `1e400` spells out, `1e999999999` would fill the memory. */
const maxZerosAdded = 1_000;

/**
 * A decimal as written (`49`, `49.5`, `4.95e1`) as a whole number of 0 or more, halves up. Exact:
 * nothing goes through a float. Undefined when the text is no such number, when it is below zero,
 * however little, or absurdly large.
 */
export function roundHalfUp(text: string): RoundedNumber | undefined {
  const match = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$/.exec(text.trim());
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  if (whole + fraction === '') return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return { value: 0n, rounded: false };
  if (sign === '-') return undefined;

  const leadingZeros = whole.length + fraction.length - digits.length;
  const pointAt = whole.length - leadingZeros + Number(exponent);
  if (pointAt > digits.length + maxZerosAdded) return undefined;
  if (pointAt < 0) return { value: 0n, rounded: true };
  const kept = digits.slice(0, pointAt).padEnd(pointAt, '0');
  const cut = digits.slice(pointAt);
  return {
    value: BigInt(kept || '0') + (cut >= '5' ? 1n : 0n),
    rounded: /[1-9]/.test(cut),
  };
}

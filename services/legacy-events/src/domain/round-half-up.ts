/**
 * A decimal as written (`49`, `49.5`, `4.95e1`) as a whole number of 0 or more, halves up. Exact:
 * nothing goes through a float. Undefined when the text is no such number or absurdly large.
 */
export function roundHalfUp(text: string): { value: bigint; rounded: boolean } | undefined {
  const match = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,3}))?$/.exec(text.trim());
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  if (digits === '' || (sign === '-' && /[1-9]/.test(digits))) return undefined;

  const pointAt = whole.length + Number(exponent);
  const kept = digits.slice(0, Math.max(0, pointAt)).padEnd(pointAt, '0');
  const cut = '0'.repeat(Math.max(0, -pointAt)) + digits.slice(Math.max(0, pointAt));
  return {
    value: BigInt(kept || '0') + (cut >= '5' ? 1n : 0n),
    rounded: /[1-9]/.test(cut),
  };
}

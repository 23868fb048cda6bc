/**
 * Exact fractions, so that nothing in the oracle is ever rounded but where the rules say so. Slow
 * and plain on purpose: it shares no arithmetic with what it is compared to.
 */
export type Rational = { readonly over: bigint; readonly under: bigint };

export const zero = whole(0);

export function whole(value: number | bigint): Rational {
  return { over: BigInt(value), under: 1n };
}

/** `-1.75`, `10`, `0.000001`. */
export function decimal(text: string): Rational {
  const [digits = '', fraction = ''] = text.replace('-', '').split('.');
  const magnitude = BigInt(digits + fraction);
  return {
    over: text.startsWith('-') ? -magnitude : magnitude,
    under: 10n ** BigInt(fraction.length),
  };
}

export function plus(a: Rational, b: Rational): Rational {
  if (a.under === b.under) return { over: a.over + b.over, under: a.under };
  return { over: a.over * b.under + b.over * a.under, under: a.under * b.under };
}

export function minus(a: Rational, b: Rational): Rational {
  if (a.under === b.under) return { over: a.over - b.over, under: a.under };
  return { over: a.over * b.under - b.over * a.under, under: a.under * b.under };
}

export function times(a: Rational, b: Rational): Rational {
  return { over: a.over * b.over, under: a.under * b.under };
}

/** `b` is more than 0. */
export function by(a: Rational, b: Rational): Rational {
  return { over: a.over * b.under, under: a.under * b.over };
}

/** Negative, 0 or positive. */
export function compare(a: Rational, b: Rational): number {
  const difference = a.over * b.under - b.over * a.under;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function least(...values: readonly [Rational, ...Rational[]]): Rational {
  return values.reduce((a, b) => (compare(b, a) < 0 ? b : a));
}

/** The largest whole number not above it. */
export function floor(a: Rational): bigint {
  const quotient = a.over / a.under;
  return quotient * a.under > a.over ? quotient - 1n : quotient;
}

/** The largest number of so many decimal places that is not above it. */
export function roundDown(a: Rational, places: number): Rational {
  const unit = 10n ** BigInt(places);
  return { over: floor(times(a, whole(unit))), under: unit };
}

/** To so many decimal places; what lies in the middle goes to the even neighbour. */
export function roundHalfEven(a: Rational, places: number): Rational {
  const unit = 10n ** BigInt(places);
  const scaled = times(a, whole(unit));
  const below = floor(scaled);
  const side = compare(minus(scaled, whole(below)), { over: 1n, under: 2n });
  const up = side > 0 || (side === 0 && below % 2n !== 0n);
  return { over: up ? below + 1n : below, under: unit };
}

/** The shortest decimal; of a number that has one, with at most `places` places. */
export function asDecimal(a: Rational, places = 30): string {
  const unit = 10n ** BigInt(places);
  const scaled = a.over * unit;
  if (scaled % a.under !== 0n) throw new Error(`${a.over}/${a.under} is no decimal`);
  const value = scaled / a.under;
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, '0');
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  const text = digits.slice(0, digits.length - places) + (fraction === '' ? '' : `.${fraction}`);
  return value < 0n ? `-${text}` : text;
}

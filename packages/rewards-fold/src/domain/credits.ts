/**
 * Credits are exact: a BigInt count of millionths, the finest scale a campaign may have. Text at
 * the edges (records, numeric columns) is a plain decimal without trailing zeros.
 */
export type Credits = bigint;

export const creditDecimals = 6;
const one = 10n ** BigInt(creditDecimals);

/** @throws on text that is no decimal of at most six places: an amount is never guessed. */
export function parseCredits(text: string): Credits {
  const match = /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(text);
  const [, sign, whole, fraction = ''] = match ?? [];
  const digits = fraction.replace(/0+$/, '');
  if (whole === undefined || digits.length > creditDecimals) {
    throw new Error(`not an amount of credits: ${text}`);
  }
  const value = BigInt(whole) * one + BigInt(digits.padEnd(creditDecimals, '0'));
  return sign === '-' ? -value : value;
}

export function formatCredits(credits: Credits): string {
  const size = credits < 0n ? -credits : credits;
  const fraction = (size % one).toString().padStart(creditDecimals, '0').replace(/0+$/, '');
  const sign = credits < 0n ? '-' : '';
  return `${sign}${size / one}${fraction === '' ? '' : `.${fraction}`}`;
}

/** In a sentence: `10 credits`, `1 credit`. */
export function creditsInWords(credits: Credits): string {
  const text = formatCredits(credits);
  return text === '1' ? '1 credit' : `${text} credits`;
}

/**
 * The exact quotient of credits by an integer above zero, rounded half-even to `scale` decimal
 * places (0 to 6), the scale of the campaign.
 */
export function roundTo(scale: number, numerator: Credits, denominator = 1n): Credits {
  const step = 10n ** BigInt(creditDecimals - scale);
  return divideHalfEven(numerator, denominator * step) * step;
}

/** The largest amount of `scale` places that is not above; `credits` at least 0. */
export function floorCredits(credits: Credits, scale: number): Credits {
  const step = 10n ** BigInt(creditDecimals - scale);
  return (credits / step) * step;
}

/** The exact quotient rounded to an integer, ties to the even one. `denominator` above zero. */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  let quotient = numerator / denominator;
  let remainder = numerator % denominator;
  if (remainder < 0n) {
    quotient -= 1n;
    remainder += denominator;
  }
  const twice = remainder * 2n;
  const up = twice > denominator || (twice === denominator && quotient % 2n !== 0n);
  return up ? quotient + 1n : quotient;
}

export function leastCredits(a: Credits, b: Credits): Credits {
  return a < b ? a : b;
}

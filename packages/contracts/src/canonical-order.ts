import { withoutTrailingZeros } from './trailing-zeros.ts';

/**
 * The one order in which facts are folded (design 7): exact occurredAt, then receivedAt, then
 * eventId. Nothing depends on the order of arrival, and no timestamp is rounded to a float.
 */
export type Ordered = {
  /** Exact decimal seconds since the epoch. */
  occurredAtSeconds: string;
  /** UTC with milliseconds, `2026-01-31T12:00:00.000Z`. */
  receivedAt: string;
  eventId: string;
};

/** Negative when `a` comes first; 0 only for the same event. */
export function compareCanonical(a: Ordered, b: Ordered): number {
  return (
    compareDecimal(a.occurredAtSeconds, b.occurredAtSeconds) ||
    compareText(a.receivedAt, b.receivedAt) ||
    compareText(a.eventId, b.eventId)
  );
}

/** Compares exact decimals such as `-62167219200.25` and `1769860800`. */
export function compareDecimal(a: string, b: string): number {
  // Two times of our days in whole seconds, as most are.
  if (a.length === 10 && b.length === 10 && isPlain(a) && isPlain(b)) return compareText(a, b);
  const [x, y] = [split(a), split(b)];
  if (x.negative !== y.negative) return x.negative ? -1 : 1;
  const larger = compareMagnitude(x, y);
  return x.negative ? 0 - larger : larger;
}

/** Ten digits, the first not 0: in the order of such texts. */
function isPlain(text: string): boolean {
  return text > '1' && !text.includes('.');
}

type Decimal = { negative: boolean; whole: string; fraction: string };

function split(text: string): Decimal {
  const unsigned = text.startsWith('-') ? text.slice(1) : text;
  const [whole = '', fraction = ''] = unsigned.split('.');
  const decimal = { whole: whole.replace(/^0+/, ''), fraction: withoutTrailingZeros(fraction) };
  const zero = decimal.whole === '' && decimal.fraction === '';
  return { ...decimal, negative: text.startsWith('-') && !zero };
}

/** Without leading zeros the longer whole part is larger; fractions compare as text. */
function compareMagnitude(x: Decimal, y: Decimal): number {
  return (
    Math.sign(x.whole.length - y.whole.length) ||
    compareText(x.whole, y.whole) ||
    compareText(x.fraction, y.fraction)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

import { currencyCodes } from './currency-codes.ts';
import { readDateTime } from './date-time.ts';
import { isMailbox } from './email-address.ts';
import { intervals, type Rule } from './event-rules.ts';
import type { Json } from './json-text.ts';

/** `A|B` where the rules allow either. */
export type ViolationCode = string;
type Scalar = Exclude<Rule['is'], 'object'>;

const longest: Partial<Record<Scalar, number>> = { text: 255, key: 255, email: 320 };
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** What is wrong with the value of a member that is no object; undefined when nothing is. */
export function validateScalar(is: Scalar, value: Json): ViolationCode | undefined {
  if (is === 'amount' || is === 'count') return validateInteger(is, value);
  if (value.kind !== 'string') return 'INVALID_TYPE';
  const { text } = value;
  const unclean = text.includes('\0') || loneSurrogate.test(text);
  // Design 8 refuses NUL in strings as INVALID_FORMAT and what is not in a list as INVALID_ENUM.
  if (is === 'currency' || is === 'interval') {
    const known = is === 'currency' ? currencyCodes : intervals;
    if (known.has(text)) return undefined;
    return unclean ? 'INVALID_ENUM|INVALID_FORMAT' : 'INVALID_ENUM';
  }
  if (is === 'date-time') return readDateTime(text) === undefined ? 'INVALID_FORMAT' : undefined;
  return validateText(is, is === 'key' ? text.trim() : text, unclean);
}

function validateText(is: Scalar, text: string, unclean: boolean): ViolationCode | undefined {
  const length = [...text].length;
  if (length === 0) return unclean ? 'INVALID_FORMAT|OUT_OF_RANGE' : 'OUT_OF_RANGE';
  const illFormed = unclean || (is === 'email' && !isMailbox(text));
  if (length > longest[is]!) return illFormed ? 'INVALID_FORMAT|OUT_OF_RANGE' : 'OUT_OF_RANGE';
  return illFormed ? 'INVALID_FORMAT' : undefined;
}

function validateInteger(is: 'amount' | 'count', value: Json): ViolationCode | undefined {
  if (value.kind !== 'number' || /[.eE]/.test(value.text)) return 'INVALID_TYPE';
  const whole = BigInt(value.text);
  if (whole < 0n || (is === 'amount' && whole > 9007199254740991n)) return 'OUT_OF_RANGE';
  return undefined;
}

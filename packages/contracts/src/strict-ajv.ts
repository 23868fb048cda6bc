import { Ajv, type ValidateFunction } from 'ajv';
import { isEmail } from './email.ts';
import { parseTimestamp } from './rfc3339.ts';

/**
 * The one ajv of the contract: strict schemas, no coercion, no removal, no defaults. The formats
 * are our own, because the contract is exact about them (design 8).
 *
 * It stops at the first error on purpose: ajv's own "all errors" costs memory for every one of
 * thousands of unknown fields. Collecting is bounded and ordered in `collect-violations.ts`, which
 * asks this ajv about one member at a time.
 */
const ajv = new Ajv({ strict: true, allErrors: false, coerceTypes: false, verbose: true });

ajv.addFormat('date-time', (text: string) => parseTimestamp(text) !== undefined);
ajv.addFormat('email', isEmail);
/** No NUL and no lone surrogate: neither survives the way through UTF-8 and Postgres. */
ajv.addFormat('text', (text: string) => text.isWellFormed() && !text.includes('\0'));

/**
 * Lengths in code points, as ajv's own, but counted only where UTF-16 units leave a doubt: a code
 * point has one or two of them. Counting every string twice is a large part of a check.
 */
ajv.removeKeyword('minLength').removeKeyword('maxLength');
ajv.addKeyword({
  keyword: 'minLength',
  type: 'string',
  before: 'format',
  schemaType: 'number',
  compile: (min: number) => (text: string) =>
    text.length >= 2 * min - 1 || (text.length >= min && codePoints(text) >= min),
});
ajv.addKeyword({
  keyword: 'maxLength',
  type: 'string',
  before: 'format',
  schemaType: 'number',
  compile: (max: number) => (text: string) =>
    text.length <= max || (text.length <= 2 * max && codePoints(text) <= max),
});

/** Length in code points after trimming, for idempotency keys (interface 4.1 rule 7). */
ajv.addKeyword({
  keyword: 'trimmedLength',
  type: 'string',
  // Length first, as ajv's own length keywords do.
  before: 'format',
  schemaType: 'array',
  compile:
    ([min, max]: [number, number]) =>
    (text: string) => {
      const length = codePoints(text.trim());
      return length >= min && length <= max;
    },
});

/** Compiles once, at module load of the schema's owner; never per request. */
export function compileStrict(schema: object): ValidateFunction {
  return ajv.compile(schema);
}

export function codePoints(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const isPair = (text.codePointAt(i) ?? 0) > 0xffff;
    if (isPair) i++;
    count++;
  }
  return count;
}

import { codePoints } from '@tributary/contracts/strict-ajv';
import type { Violation } from '@tributary/contracts/violation';

/**
 * The idempotency key of a request, from the header lines and from the body (interface 4.1 rules
 * 7 and 10). Both forms are trimmed before anything else; quotes are part of the key.
 */
export type RequestKey =
  | { outcome: 'none' }
  | { outcome: 'key'; key: string }
  /** The header is not UTF-8 or breaks the length rule: 422, like the body form. */
  | { outcome: 'invalid'; violation: Violation }
  /** Header and body, or two header lines, say different things: 400. */
  | { outcome: 'conflict' };

/** `headerLines` are the raw bytes of each Idempotency-Key line. */
export function requestKey(
  headerLines: readonly Buffer[],
  bodyKey: string | undefined,
): RequestKey {
  const keys = new Set<string>();
  for (const line of headerLines) {
    const key = decode(line)?.trim();
    if (key === undefined) return { outcome: 'invalid', violation: notUtf8 };
    if (!hasKeyLength(key)) return { outcome: 'invalid', violation: wrongLength };
    keys.add(key);
  }
  if (bodyKey !== undefined) keys.add(bodyKey.trim());
  if (keys.size > 1) return { outcome: 'conflict' };
  const [key] = keys;
  return key === undefined ? { outcome: 'none' } : { outcome: 'key', key };
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

/** Undefined for bytes that are not UTF-8. */
function decode(line: Buffer): string | undefined {
  try {
    return utf8.decode(line);
  } catch {
    return undefined;
  }
}

function hasKeyLength(key: string): boolean {
  const length = codePoints(key);
  return length >= 1 && length <= 255;
}

const wrongLength: Violation = {
  pointer: '/idempotencyKey',
  code: 'OUT_OF_RANGE',
  detail:
    'The Idempotency-Key header is empty or too long; expected 1 to 255 characters after trimming.',
};

/** As for text that is no text in a body (design 8, "Strings"): its length cannot be validated. */
const notUtf8: Violation = {
  pointer: '/idempotencyKey',
  code: 'INVALID_FORMAT',
  detail: 'The Idempotency-Key header is not UTF-8; expected 1 to 255 characters of UTF-8.',
};

import type { JsonValue } from './strict-json.ts';

/**
 * The quick way to read nearly every body: JSON.parse, wherever it gives exactly what the careful
 * reader of strict-json.ts would give. Undefined means "let that one decide": the text is no JSON,
 * or has something about it that JSON.parse drops or rounds:
 *
 *   a name used twice            fewer members come out than colons were written
 *   a number with `-` `.` `e`    its source text counts, and `-0` is 0
 *   more than 15 digits          may be beyond 2^53
 *   an integer-like name         JavaScript lists it before its elders
 *   more than 32 levels          refused
 *   more than `maxMembers`       need not be kept
 *
 * One pass over the bytes finds all of it: whatever is not ASCII is inside a string.
 */
export function parsePlainJson(bytes: Buffer, maxMembers = Infinity): JsonValue | undefined {
  const colons = countColons(bytes, maxMembers);
  if (colons === unusual) return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(bytes.toString('utf8')) as JsonValue;
  } catch {
    return undefined;
  }
  return countMembers(value) === colons ? value : undefined;
}

export const maxDepth = 32;
const maxDigits = 15;
const unusual = -1;

/** The colons outside of strings, or `unusual`. Need not see that a text is no JSON. */
function countColons(bytes: Buffer, maxMembers: number): number {
  const { length } = bytes;
  let colons = 0;
  let depth = 0;
  /** Where the string read last begins: at a colon, that is a member's name. */
  let stringAt = 0;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at]!;
    if (byte === 0x22) {
      stringAt = at + 1;
      for (at++; at < length && bytes[at] !== 0x22; at++) {
        // A backslash hides what comes next.
        if (bytes[at] === 0x5c) at++;
      }
    } else if (byte <= 0x2c) {
      // Blanks and commas. (JSON has nothing else there, which JSON.parse will see.)
    } else if (byte === 0x3a) {
      const initial = bytes[stringAt]!;
      if (isDigit(initial) || initial === 0x5c) return unusual;
      if (++colons > maxMembers) return unusual;
    } else if (isDigit(byte)) {
      const numberAt = at;
      while (at + 1 < length && isDigit(bytes[at + 1]!)) at++;
      if (at - numberAt >= maxDigits) return unusual;
      const next = bytes[at + 1];
      if (next === 0x2e || next === 0x65 || next === 0x45) return unusual;
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > maxDepth) return unusual;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
    } else if (byte === 0x2d) {
      return unusual;
    }
  }
  return colons;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** The members of all objects. */
function countMembers(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item);
    return count;
  }
  // JSON.parse gives own members only.
  for (const name in value) count += 1 + countMembers(value[name]!);
  return count;
}

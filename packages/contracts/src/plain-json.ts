import type { JsonValue } from './strict-json.ts';

/**
 * The quick way to read nearly every body: JSON.parse, wherever it gives exactly what the careful
 * reader of strict-json.ts would give. Undefined means "let that one judge": the text is no JSON,
 * or has something about it that JSON.parse drops or rounds:
 *
 *   a name used twice            fewer members come out than colons were written
 *   a number with `-` `.` `e`    its source text counts, and `-0` is 0
 *   more than 15 digits          may be beyond 2^53
 *   an integer-like name         JavaScript lists it before its elders
 *   more than 32 levels          refused
 *
 * One pass over the bytes finds all of it: whatever is not ASCII is inside a string.
 */
export function parsePlainJson(bytes: Buffer): JsonValue | undefined {
  const colons = countColons(bytes);
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
function countColons(bytes: Buffer): number {
  const { length } = bytes;
  let colons = 0;
  let depth = 0;
  let digits = 0;
  /** The first byte of the string read last: at a colon, that is a member's name. */
  let initial = 0;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at]!;
    if (isDigit(byte)) {
      if (++digits > maxDigits) return unusual;
      continue;
    }
    const afterDigit = digits > 0;
    digits = 0;
    switch (byte) {
      case 0x22: // "
        initial = bytes[at + 1] ?? 0;
        at = endOfString(bytes, at + 1);
        break;
      case 0x3a: // :
        if (isDigit(initial) || initial === 0x5c) return unusual;
        colons++;
        break;
      case 0x7b: // {
      case 0x5b: // [
        if (++depth > maxDepth) return unusual;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth--;
        break;
      case 0x65: // e, which is also in true and false
        if (afterDigit) return unusual;
        break;
      case 0x45: // E
      case 0x2d: // -
      case 0x2e: // .
        return unusual;
    }
  }
  return colons;
}

function endOfString(bytes: Buffer, start: number): number {
  const { length } = bytes;
  let at = start;
  while (at < length) {
    const byte = bytes[at]!;
    if (byte === 0x22) break;
    at += byte === 0x5c ? 2 : 1;
  }
  return at;
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

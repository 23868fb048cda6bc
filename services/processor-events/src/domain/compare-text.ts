import { canonicalJson } from '@tributary/contracts/canonical-json';
import type { JsonValue } from '@tributary/contracts/strict-json';

/** By UTF-16 units, the same everywhere. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * Some order of two objects that does not depend on that of their members. 0 only of equal ones.
 */
export function compareContent(a: object, b: object): number {
  return compareText(canonicalJson(a as JsonValue), canonicalJson(b as JsonValue));
}

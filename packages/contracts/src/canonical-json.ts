import type { JsonObject, JsonValue } from './strict-json.ts';

/**
 * One text for all spellings of a request body: names sorted, no blanks, escapes as
 * JSON.stringify writes them, numbers by their digits. Two bodies are the same request exactly
 * when these texts are equal (design 5, "fingerprint").
 */
export function canonicalJson(value: JsonValue, without?: string): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  if (isObject(value)) {
    const members = Object.keys(value)
      .filter((name) => name !== without)
      .sort()
      .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name]!)}`);
    return `{${members.join(',')}}`;
  }
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null;
}

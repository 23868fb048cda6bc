import type { JsonValue } from './strict-json.ts';

/**
 * One text for all spellings of a request body: names sorted, no blanks, escapes as
 * JSON.stringify writes them, numbers by their digits. Two bodies are the same request exactly
 * when these texts are equal (design 5, "fingerprint").
 */
export function canonicalJson(value: JsonValue, without?: string): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  let members = '';
  for (const name of Object.keys(value).sort()) {
    if (name === without) continue;
    if (members !== '') members += ',';
    members += `${quoted(name)}:${canonicalJson(value[name]!)}`;
  }
  return `{${members}}`;
}

/** As JSON.stringify, which costs several times as much for the many texts without escapes. */
function quoted(text: string): string {
  return needsNoEscape.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** Printable ASCII but the quote and the backslash. */
const needsNoEscape = /^[ !#-[\]-~]*$/;

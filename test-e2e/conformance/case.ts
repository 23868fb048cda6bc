import type { Finding } from './oracle/validate-body.ts';
import type { RawRequest } from './wire/raw-request.ts';

/** One request and everything the rules say of its answer. */
export type Case = { name: string; request: RawRequest; expected: Expected };

export type Expected = {
  status: number;
  code?: string;
  /** All of them, in order, before the list is cut at 20. */
  errors?: readonly Finding[];
  /** Where the rules give violations no order. */
  anyOrder?: boolean;
  warnings?: readonly Finding[];
  /** What the `detail` of a violation must match, by pointer. */
  hints?: Readonly<Record<string, RegExp>>;
  /** Submitted values, which no answer may repeat. */
  canaries?: readonly string[];
};

/** A name for a case from its bytes: short, printable, and telling equal beginnings apart. */
export function nameOf(bytes: Buffer | string): string {
  const text = typeof bytes === 'string' ? bytes : bytes.toString('latin1');
  const shown = JSON.stringify(text).replace(/[^ -~]/g, escapeCharacter);
  return shown.length <= 90 ? shown : `${shown.slice(0, 80)}… (${text.length})`;
}

const escapeCharacter = (c: string) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;

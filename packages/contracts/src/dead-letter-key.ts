import type { DeadLetterRecord } from './dead-letter-record.ts';

const maxKeyCharacters = 1_000;
const maxKeyBytes = 4_096;

/**
 * How a dead letter tells the key of its record. A key may be anything; Postgres text, where
 * letters wait to be sent, holds no NUL. Where the text is not surely the key, the bytes go along,
 * so that the record can be appended again under it; not of people, whose records never are.
 */
export function toLetterKey(
  bytes: Buffer | null,
  { personal }: { personal: boolean },
): Pick<DeadLetterRecord['origin'], 'key' | 'keyBytes'> {
  if (bytes === null) return { key: null };
  const key = bytes.toString('utf8').replaceAll('\0', '\ufffd').slice(0, maxKeyCharacters);
  if (isSurelyWhole(key) || personal || bytes.length > maxKeyBytes) return { key };
  return { key, keyBytes: bytes.toString('base64') };
}

/**
 * The key under which the record of a letter was appended; undefined when the letter does not say
 * it exactly, or when it is no text, which no writer of this system uses.
 */
export function fromLetterKey({ key, keyBytes }: DeadLetterRecord['origin']): string | undefined {
  if (keyBytes !== undefined) return exactText(Buffer.from(keyBytes, 'base64'));
  return key === null || isSurelyWhole(key) ? (key ?? '') : undefined;
}

/** The text of bytes that are UTF-8. */
export function exactText(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : undefined;
}

function isSurelyWhole(key: string): boolean {
  return key.length < maxKeyCharacters && !key.includes('\ufffd');
}

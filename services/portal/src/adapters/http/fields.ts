import { Type } from '@sinclair/typebox';

/**
 * The kinds of text that request bodies are made of. Lengths count code points, as everywhere in
 * the contract (design 8, "Strings"). `expected` is what a violation says would be right,
 * `unknownMember` what it says of a member that an object does not have, `isList` that a pattern
 * stands for a list of texts.
 */
export type FieldNotes = {
  expected?: string;
  maxCodePoints?: number;
  unknownMember?: string;
  isList?: boolean;
};

/** Ids of tenants, campaigns and rules: they stand in paths, record keys and logs as they are. */
export const identifierPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export function identifier() {
  return Type.RegExp(identifierPattern, {
    expected: 'a string of 1 to 64 letters, digits, ".", "_" or "-", the first a letter or digit',
  });
}

/** Any text but NUL and lone surrogates, which neither Postgres nor UTF-8 can hold. */
export function anyText(maxCodePoints: number) {
  return text('\\0\\p{Cs}', maxCodePoints, 'a string');
}

export function printableText(maxCodePoints: number) {
  return text('\\p{Cc}\\p{Cs}', maxCodePoints, 'a string without control characters');
}

/** The user part of HTTP Basic: a colon would end it (RFC 7617). */
export function basicUsername() {
  return text(':\\p{Cc}\\p{Cs}', 255, 'a string without colon and control characters');
}

function text(refused: string, maxCodePoints: number, what: string) {
  return Type.RegExp(new RegExp(`^[^${refused}]{1,${maxCodePoints}}$`, 'u'), {
    expected: `${what}, 1 to ${maxCodePoints} characters long`,
    maxCodePoints,
  });
}

import { codePoints } from '@tributary/contracts/strict-ajv';

/**
 * The text of one undecoded path segment, percent-decoded once. Undefined for what no text was
 * encoded to (`%zz`, half a character, overlong UTF-8) and for what no id of the contract can be:
 * empty, with a NUL, above 255 characters. A caller needs no look-up to know that such a thing does
 * not exist.
 */
export function decodeSegment(segment: string): string | undefined {
  if (segment === '' || segment.includes('/')) return undefined;
  try {
    const text = decodeURIComponent(segment);
    return text.includes('\0') || codePoints(text) > maxCodePoints ? undefined : text;
  } catch {
    return undefined;
  }
}

const maxCodePoints = 255;

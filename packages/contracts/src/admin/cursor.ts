import { Type } from '@sinclair/typebox';
import { codePoints } from '../strict-ajv.ts';
import type { QueryParameter } from './query-parameters.ts';

/**
 * Where a page ended, as a text that says nothing to a client: the parts of a place in a list. A
 * cursor of another list has another number of parts; what is in them is compared, and never
 * trusted.
 */
export function encodeCursor(parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

export function cursorOf(parts: number): QueryParameter<readonly string[]> {
  return {
    expected: 'the nextCursor of an answer of this list',
    schema: Type.String({ pattern: '^[A-Za-z0-9_-]+$', maxLength: 4_096 }),
    read: (text) => {
      const value = decodeCursor(text);
      return value?.length === parts ? { value } : { code: 'INVALID_FORMAT' };
    },
  };
}

function decodeCursor(text: string): string[] | undefined {
  if (text.length > 4_096 || !/^[A-Za-z0-9_-]+$/.test(text)) return undefined;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(parsed) && parsed.every(isPart) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isPart(part: unknown): part is string {
  return typeof part === 'string' && codePoints(part) <= 600 && !part.includes('\0');
}

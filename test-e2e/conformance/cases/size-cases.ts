import type { Case, Expected } from '../case.ts';
import { type Caller, eventRequest } from '../event-request.ts';
import { validMembers } from '../valid-bodies.ts';

const tooLarge: Expected = { status: 413, code: 'PAYLOAD_TOO_LARGE' };
const malformed: Expected = { status: 400, code: 'MALFORMED_JSON' };

/** 64 KiB to the byte, however the body is framed and whatever is in it (design 8). */
export function sizes(caller: Caller): Case[] {
  const sizes = [65_535, 65_536, 65_537, 65_600, 100_000, 1_000_000];
  return sizes.flatMap((size) =>
    (['content-length', 'chunked'] as const).flatMap((framing) => {
      const fits = size <= 65_536;
      const sent = (what: string, text: string, expected: Expected): Case => ({
        name: `${size} bytes of ${what}, ${framing}`,
        request: eventRequest(caller, text, { framing }),
        expected: fits ? expected : tooLarge,
      });
      const json = JSON.stringify(validMembers('purchase-created'));
      return [
        sent('a purchase and blanks', json.padEnd(size), { status: 202 }),
        sent('blanks and a purchase', json.padStart(size), { status: 202 }),
        sent('blanks', ' '.repeat(size), malformed),
        sent('NUL', '\0'.repeat(size), malformed),
        sent('brackets', '['.repeat(size), malformed),
        sent('one string', `"${'x'.repeat(size - 2)}"`, {
          status: 422,
          code: 'VALIDATION_ERROR',
          errors: [' INVALID_TYPE'],
        }),
      ];
    }),
  );
}

/** No body is no JSON text, said in any way. */
export function emptyBodies(caller: Caller): Case[] {
  return (['content-length', 'chunked', 'none'] as const).map((framing) => ({
    name: `an empty body, ${framing}`,
    request: eventRequest(caller, '', { framing }),
    expected: malformed,
  }));
}

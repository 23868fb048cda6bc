import type { Case } from '../case.ts';
import { type Caller, eventRequest, validatedCase } from '../event-request.ts';
import { bodyOf, bodyWith } from '../valid-bodies.ts';

/**
 * Texts of up to 64 KiB when written as JSON, and headers of nearly 16, that a reader which looks
 * back would take minutes for. Each is refused in the end, where such a reader begins again.
 */
export function costlyTexts(caller: Caller): Case[] {
  const size = 30_000;
  const filled = (unit: string) => unit.repeat(size / unit.length);
  const emails = ['a@b-', 'a.', 'a@b.', '"\\"', '"a', 'a@[IPv6:', '::', 'a@[a-', 'a@[1.', 'a@'];
  const times = [`2026-01-01T00:00:00.${filled('0')}`, filled('2026-'), filled('9'), filled(' ')];
  const numbers = [`0.${filled('0')}x`, `${filled('9')}`, `1e${filled('9')}`, `-${filled('0')}`];
  const texts = ['"\\', '\\u00', '[{"a":', '{"a":{', '\\\\', '"",', '\ud83d\ude39', '\u0001'];
  return [
    ...emails
      .flatMap((unit) => [filled(unit), `${filled(unit)}!`, `a@b${filled(unit.slice(1))}`])
      .map((email) =>
        validatedCase(caller, `email ${email.slice(0, 12)}…`, bodyOf('newUser.email', email)),
      ),
    ...times.map((time) =>
      validatedCase(caller, `time ${time.slice(0, 24)}…`, bodyOf('occurredAt', time)),
    ),
    ...numbers.flatMap((number) =>
      ['amount', 'subscription.seatsUsed', 'colour'].map((path) =>
        validatedCase(caller, `${path} ${number.slice(0, 12)}…`, bodyWith(path, number)),
      ),
    ),
    ...texts.map((unit) => validatedCase(caller, `body of ${unit}…`, filled(unit))),
    ...texts.map((unit) =>
      validatedCase(caller, `ucc of ${unit}…`, bodyWith('ucc', `"${filled(unit)}`)),
    ),
    ...costlyHeaders(caller),
  ];
}

function costlyHeaders(caller: Caller): Case[] {
  const types = ['; ', ';', ' ', ';a=b', '; a="', ';\t', '; charset=utf-8', 'x', '\\"'].map(
    (unit) => `application/json${unit.repeat(12_000 / unit.length)}"`,
  );
  const bearers = ['Bearer ', 'Bearer a', 'a.', '=', '\t'].map((unit) =>
    unit.repeat(10_000 / unit.length),
  );
  const body = bodyWith('colour', undefined);
  const { headers } = eventRequest(caller, body);
  const authorization = headers[0]!;
  return [
    ...types.map((type) => ({
      name: `Content-Type ${type.slice(16, 28)}…`,
      request: eventRequest(caller, body, { headers: [authorization, ['Content-Type', type]] }),
      expected: { status: 415, code: 'MALFORMED_JSON' },
    })),
    ...bearers.map((value) => ({
      name: `Authorization ${value.slice(0, 12)}…`,
      request: eventRequest(caller, body, { headers: [['Authorization', `${value} é`]] }),
      expected: { status: 401, code: 'UNAUTHORIZED' },
    })),
  ];
}

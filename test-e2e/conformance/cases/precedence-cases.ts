import { randomUUID } from 'node:crypto';
import type { Case, Expected } from '../case.ts';
import type { Caller } from '../event-request.ts';
import { validMembers } from '../valid-bodies.ts';
import type { RawRequest } from '../wire/raw-request.ts';

/** In the order in which they are told: of several flaws, the first one decides (design 8). */
const flaws: readonly [name: Flaw, Expected][] = [
  ['no token', { status: 401, code: 'UNAUTHORIZED' }],
  ['unknown event', { status: 404, code: 'UNKNOWN_EVENT_TYPE' }],
  ['other method', { status: 405, code: 'UNKNOWN_EVENT_TYPE' }],
  ['other media type', { status: 415, code: 'MALFORMED_JSON' }],
  ['too large', { status: 413, code: 'PAYLOAD_TOO_LARGE' }],
  ['malformed', { status: 400, code: 'MALFORMED_JSON' }],
  ['invalid', { status: 422, code: 'VALIDATION_ERROR', errors: ['/colour UNKNOWN_FIELD'] }],
  ['two keys', { status: 400, code: 'IDEMPOTENCY_KEY_CONFLICT' }],
  ['used key', { status: 409, code: 'IDEMPOTENCY_CONFLICT' }],
];
type Flaw =
  | 'no token'
  | 'unknown event'
  | 'other method'
  | 'other media type'
  | 'too large'
  | 'malformed'
  | 'invalid'
  | 'two keys'
  | 'used key';

const usedKey = `used-${randomUUID()}`;

/** To be accepted first: it takes the key that `used key` comes with. */
export function keyTaking(caller: Caller): Case[] {
  return [
    {
      name: 'takes the key',
      request: flawed(caller, new Set(['used key'])),
      expected: { status: 202 },
    },
  ];
}

/** All 511 sets of flaws, with the body framed by its length and in chunks. */
export function precedence(caller: Caller): Case[] {
  return Array.from({ length: 2 ** flaws.length - 1 }, (_, i) => {
    const chosen = flaws.filter((_flaw, bit) => ((i + 1) & (1 << bit)) !== 0);
    const names = new Set(chosen.map(([name]) => name));
    const [, expected] = chosen[0]!;
    const request = flawed(caller, names);
    const framing = i % 2 === 0 ? ('content-length' as const) : ('chunked' as const);
    return { name: [...names].join(', '), request: { ...request, framing }, expected };
  });
}

function flawed({ token }: Caller, flaws: ReadonlySet<Flaw>): RawRequest {
  const members = validMembers('purchase-created');
  const more = {
    ...(flaws.has('invalid') ? { colour: 'red' } : {}),
    ...(flaws.has('two keys') ? { idempotencyKey: 'another' } : {}),
  };
  const json = JSON.stringify({ ...members, ...more });
  const text = flaws.has('malformed') ? `${json}}` : json;
  const method = flaws.has('other method') ? 'PUT' : 'POST';
  const key = flaws.has('used key') ? usedKey : flaws.has('two keys') ? 'one' : undefined;
  return {
    method,
    target: `/v2/events/${flaws.has('unknown event') ? 'purchase-made' : 'purchase-created'}`,
    headers: [
      ...(flaws.has('no token') ? [] : [['Authorization', `Bearer ${token}`] as const]),
      ['Content-Type', flaws.has('other media type') ? 'text/plain' : 'application/json'],
      ...(key === undefined ? [] : [['Idempotency-Key', key] as const]),
    ],
    body: Buffer.from(flaws.has('too large') ? text.padEnd(70_000) : text),
  };
}

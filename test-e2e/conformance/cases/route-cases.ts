import type { Case, Expected } from '../case.ts';
import { type Caller, eventRequest } from '../event-request.ts';
import { eventTypes } from '../oracle/event-rules.ts';
import { bodyWith } from '../valid-bodies.ts';
import type { RawRequest } from '../wire/raw-request.ts';

const unknownType: Expected = { status: 404, code: 'UNKNOWN_EVENT_TYPE' };
const otherMethod: Expected = { status: 405, code: 'UNKNOWN_EVENT_TYPE' };
const notFound: Expected = { status: 404, code: 'NOT_FOUND' };

const body = () => bodyWith('colour', undefined);

/** A path is an event's exactly, byte for byte, or nobody's. */
export function eventPaths(caller: Caller): Case[] {
  const unknown = [
    ...[
      '/v2/events',
      '/v2/events/',
      '/v2/events/purchase-created/',
      '/v2/events/purchase-created/x',
      '/v2/',
      '/v2',
    ],
    ...[
      '/v2/events/Purchase-Created',
      '/v2/events/PURCHASE-CREATED',
      '/v2/Events/purchase-created',
      '/v2/x',
    ],
    ...[
      '/v2/events/purchase',
      '/v2/events/purchase-create',
      '/v2/events/purchase-createdx',
      '/v2/events/purchase_created',
    ],
    ...[
      '/v2/events/purchasecreated',
      '/v2/events/%70urchase-created',
      '/v2/events/purchase%2Dcreated',
      '/v2/events%2Fpurchase-created',
    ],
    ...[
      '/v2/events//purchase-created',
      '/v2//events/purchase-created',
      '/v2/./events/purchase-created',
      '/v2/events/./purchase-created',
    ],
    ...[
      '/v2/events/x/../purchase-created',
      '/v2/events/purchase-created;x',
      '/v2/events/purchase-created%00',
      '/v2/events/%00',
    ],
    ...[
      '/v2/events/purchase-created%20',
      '/v2/events/purchase-created.json',
      '/v2/events/signup',
      '/v2/events/refund',
    ],
    ...[
      '/v2/events/__proto__',
      '/v2/events/constructor',
      '/v2/events/toString',
      '/v2/events/hasOwnProperty',
      '/v2/events/%zz',
    ],
    ...[
      '/v2/events/%',
      '/v2/events/%e9',
      '/v2/events/é',
      '/v2/events/😹',
      '/v2/events/..',
      '/v2/events/..%2f..',
      '/v2/..%2ftoken',
    ],
    ...[
      '/v2/events/purchase-created\\',
      '/v2/events/*',
      '/v2/events/:type',
      `/v2/events/${'x'.repeat(3_000)}`,
      '/v2/events/null',
    ],
    ...[
      '/v2/events?type=purchase-created',
      '/v2/events/?purchase-created',
      '/v2/token',
      '/v2/referral-codes/x',
      '/v2/events/purchase-created&x',
    ],
  ];
  const known = ['?', '?x=1', '?x=%zz', '?colour=red&amount=1', '?/', `?${'q'.repeat(2_000)}`];
  return [
    ...unknown.map((target) => sent({ target }, unknownType)),
    ...known.map((query) =>
      sent({ target: `/v2/events/purchase-created${query}` }, { status: 202 }),
    ),
    ...eventTypes.map((type) =>
      sent(
        { target: `/v2/events/${type}`, body: bodyWith('colour', undefined, type) },
        { status: 202 },
      ),
    ),
    ...[
      '/v1/token',
      '/v1/authentication/token',
      '/v1/events',
      '/v3/events/purchase-created',
      '/V2/events/purchase-created',
    ].map((target) => sent({ target }, notFound)),
    ...[
      '//v2/events/purchase-created',
      '/x/../v2/events/purchase-created',
      '/%762/events/purchase-created',
      '/v2%2Fevents',
      '/v20',
    ].map((target) => sent({ target }, notFound)),
  ];

  function sent(more: Partial<RawRequest>, expected: Expected): Case {
    return {
      name: `POST ${(more.target ?? '').slice(0, 80)}`,
      request: eventRequest(caller, body(), more),
      expected,
    };
  }
}

/** POST alone; every other method of a known path is 405, of an unknown path 404 (design 8). */
export function methods(caller: Caller): Case[] {
  const others = [
    ...['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND', 'MKCOL', 'LOCK', 'REPORT'],
    ...['TRACE', 'CONNECT', 'FOO', 'BREW', 'GETX', 'POSTS', 'M-SEARCH'],
    ...['SEARCH', 'PURGE', 'LINK', 'SUBSCRIBE', 'QUERY', 'COPY'],
  ];
  return others.flatMap((method) => {
    const request = (type: string, withBody: boolean): RawRequest => {
      const { body: bytes, ...rest } = eventRequest(caller, body());
      const target = `/v2/events/${type}`;
      return { ...rest, method, target, ...(withBody && bytes ? { body: bytes } : {}) };
    };
    return [
      ...eventTypes.map((type) => ({
        name: `${method} ${type}`,
        request: request(type, false),
        expected: otherMethod,
      })),
      {
        name: `${method} with a body`,
        request: request('signup-created', true),
        expected: otherMethod,
      },
      {
        name: `${method} of no event`,
        request: request('purchase-made', false),
        expected: unknownType,
      },
    ];
  });
}

/** Paths below the look-up that are no code of anybody (4.5): missing, never a failure. */
export function lookUpPaths({ token }: Caller): Case[] {
  const weird = [
    ...[
      '',
      '/',
      '%00',
      'a%00b',
      '..%2f',
      '..%2f..%2ftoken',
      '..%5c',
      '%2e%2e',
      '%2e',
      '..',
      '.',
      './x',
      '../token',
      '%',
      '%z',
      '%zz',
    ],
    ...[
      '%f',
      '%ff',
      '%c0%af',
      '%ed%a0%80',
      '%f0%9f%98%b9',
      '😹',
      'é',
      '%e9',
      'a/b',
      'a//b',
      '/a',
      'a/',
      '%2f',
      '%252f',
      '%2500',
      ';',
      'a;b',
    ],
    ...[
      '\\',
      'a\\b',
      '%5c',
      '*',
      '+',
      '%20',
      'a%20b',
      '%0d%0aX:1',
      '%0a',
      '?',
      'x?code=y',
      '"',
      "'",
      '<x>',
      '{x}',
      '[x]',
      '|',
      '^',
      '`',
    ],
    ...[
      'x'.repeat(300),
      'x'.repeat(4_000),
      '%f0%9f%98%b9'.repeat(300),
      '%00'.repeat(100),
      'null',
      'undefined',
      '__proto__',
      'constructor',
    ],
    ...[
      'active-link',
      'active-link/',
      'active-link/%00',
      'active-link/nobody',
      'active-link/a/b',
      'active-link/%zz',
      'active-link/..%2f',
    ],
    ...[
      'active-link/😹',
      `active-link/${'x'.repeat(300)}`,
      'ACTIVE-LINK/x',
      'active%2dlink/x',
      '-',
      '_',
      '0',
      '1',
      '-1',
      '1e3',
      "'; drop table codes--".replaceAll(' ', '%20'),
    ],
  ];
  return weird.map((code) => ({
    name: `GET /referral-codes/${code.slice(0, 60)}`,
    request: {
      method: 'GET',
      target: `/referral-codes/${code}`,
      headers: [['Authorization', `Bearer ${token}`]],
    },
    expected: notFound,
  }));
}

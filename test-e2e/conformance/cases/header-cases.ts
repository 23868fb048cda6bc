import { randomUUID } from 'node:crypto';
import { type Case, type Expected, nameOf } from '../case.ts';
import { type Caller, eventRequest } from '../event-request.ts';
import { bodyOf, bodyWith } from '../valid-bodies.ts';
import type { RawHeader } from '../wire/raw-request.ts';

const accepted: Expected = { status: 202 };
const unsupported: Expected = { status: 415, code: 'MALFORMED_JSON' };
const unauthorized: Expected = { status: 401, code: 'UNAUTHORIZED' };
const conflicting: Expected = { status: 400, code: 'IDEMPOTENCY_KEY_CONFLICT' };
const badKey: Expected = {
  status: 422,
  code: 'VALIDATION_ERROR',
  errors: ['/idempotencyKey OUT_OF_RANGE'],
};

const body = () => bodyWith('colour', undefined);

/** JSON in UTF-8, said in any of the ways of RFC 9110, and nothing else (design 8). */
export function mediaTypes({ token }: Caller): Case[] {
  const authorization = ['Authorization', `Bearer ${token}`] as const;
  const sent = (name: string, headers: RawHeader[], expected: Expected): Case => ({
    name,
    request: eventRequest({ token }, body(), { headers: [authorization, ...headers] }),
    expected,
  });
  const type = (value: string): RawHeader => ['Content-Type', value];
  const json = type('application/json');
  const taken = [
    ...[
      'application/json',
      'APPLICATION/JSON',
      'Application/Json',
      'application/json; charset=utf-8',
    ],
    ...[
      'application/json;charset=utf-8',
      'application/json; charset=UTF-8',
      'application/json;charset="utf-8"',
    ],
    ...[
      'application/json; CHARSET=Utf-8',
      'application/json ; charset=utf-8',
      'application/json;  charset=utf-8',
    ],
    ...[
      'application/json;\tcharset=utf-8',
      ' application/json ',
      'application/json; charset="UTF-8" ',
    ],
  ];
  const refused = [
    ...[
      '',
      'text/json',
      'text/plain',
      'text/plain; charset=utf-8',
      'application/problem+json',
      'application/*',
    ],
    ...[
      'application/vnd.api+json',
      'application/x-json',
      'application/jsonp',
      'application/json5',
      '*/*',
      'json',
    ],
    ...[
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
    ],
    ...[
      'application/jso',
      'application/json/x',
      'application / json',
      'application',
      '/json',
      'application/',
    ],
    ...[
      'application/json; charset=utf-16',
      'application/json; charset=latin1',
      'application/json; charset=us-ascii',
    ],
    ...[
      'application/json; charset=iso-8859-1',
      'application/json; charset=utf-7',
      'application/json; charset=""',
    ],
    ...[
      'application/json; charset=utf-32',
      "application/json; charset='utf-8'",
      'application/json, text/plain',
    ],
    ...['text/plain; application/json', 'x-application/json', 'application/json; charset=utf-8x'],
  ];
  const encodings = [
    'gzip',
    'br',
    'deflate',
    'identity',
    'GZIP',
    'zstd',
    'x',
    'gzip, gzip',
    'aws-chunked',
  ];
  return [
    ...taken.map((value) => sent(`Content-Type: ${value}`, [type(value)], accepted)),
    ...refused.map((value) => sent(`Content-Type: ${value}`, [type(value)], unsupported)),
    sent('no Content-Type', [], unsupported),
    ...encodings.map((value) =>
      sent(`Content-Encoding: ${value}`, [json, ['Content-Encoding', value]], unsupported),
    ),
    ...['text/plain', 'application/xml', '', '*/*;q=0'].map((value) =>
      sent(`Accept: ${value}`, [json, ['Accept', value]], accepted),
    ),
    sent('Content-Type twice', [json, type('application/json; charset=utf-8')], accepted),
    sent('Content-Type twice, the second another', [json, type('text/plain')], unsupported),
    sent('Content-Type twice, the first another', [type('text/plain'), json], unsupported),
    sent('other headers', [json, ['Origin', 'https://x.example'], ['X-A', '1']], accepted),
    sent('an X-HTTP-Method-Override', [json, ['X-HTTP-Method-Override', 'GET']], accepted),
  ];
}

/** One bearer token, by the scheme in any case (section 5, RFC 6750, RFC 9110 11.1). */
export function authorizations({ token }: Caller): Case[] {
  const sent = (value: string | undefined, expected: Expected): Case => ({
    name: `Authorization: ${value === undefined ? 'none' : nameOf(value.replaceAll(token, '<token>'))}`,
    request: eventRequest({ token }, body(), {
      headers: [
        ...(value === undefined ? [] : [['Authorization', value] as const]),
        ['Content-Type', 'application/json'],
      ],
    }),
    expected,
  });
  const [head = '', claims = '', signature = ''] = token.split('.');
  const unsigned = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
  const taken = ['Bearer', 'bearer', 'BEARER', 'bEaReR'].map((scheme) => `${scheme} ${token}`);
  const refused = [
    ...[
      undefined,
      '',
      ' ',
      'Bearer',
      'Bearer ',
      token,
      `Basic ${token}`,
      `Token ${token}`,
      `Bearer:${token}`,
    ],
    ...[
      `Bearer${token}`,
      `Bearer ${token}x`,
      `Bearer x${token}`,
      `Bearer ${token} x`,
      `Bearer ${token},x`,
    ],
    ...[
      `Bearer "${token}"`,
      `Bearer <${token}>`,
      `Bearer ${token}.`,
      `Bearer ${head}.${claims}`,
      'Bearer null',
    ],
    ...[
      `Bearer ${head}.${claims}.`,
      `Bearer ${unsigned}.${claims}.`,
      `Bearer ${unsigned}.${claims}.${signature}`,
    ],
    ...[
      `Bearer ${head}.${claims}.${'A'.repeat(43)}`,
      `Bearer ${token.toUpperCase()}`,
      `Bearer ${'a'.repeat(8_000)}`,
    ],
    ...[
      'Bearer é',
      'Bearer a.b.c',
      'Bearer ..',
      'Bearer undefined',
      'Bearer 0',
      `Bearer access_token=${token}`,
    ],
  ];
  return [
    ...taken.map((value) => sent(value, accepted)),
    sent(`Bearer  ${token}`, accepted), // 1*SP (RFC 9110, 11.4)
    ...refused.map((value) => sent(value, unauthorized)),
  ];
}

/** The key in the header, the body, both, neither, twice (4.1 rules 7 and 10, design 8). */
export function idempotencyKeys(caller: Caller): Case[] {
  const sent = (
    name: string,
    keys: (string | Buffer)[],
    inBody: string | undefined,
    expected: Expected,
  ): Case => ({
    name: `key: ${name}`,
    request: eventRequest(
      caller,
      inBody === undefined ? body() : bodyOf('idempotencyKey', inBody),
      { addHeaders: keys.map((key) => ['Idempotency-Key', key] as const) },
    ),
    expected,
  });
  const a = () => `a-${randomUUID()}`;
  const same = () => {
    const key = a();
    return [key, key] as const;
  };
  const padded = (pad: string) => Buffer.from(`${pad}${a()}${pad}`);
  const tooLong = 'x'.repeat(256);
  const [[b, b2], [c, c2], [d, d2], [e, e2], [f, f2], [g, g2]] = [
    same(),
    same(),
    same(),
    same(),
    same(),
    same(),
  ];
  return [
    sent('in the header', [a()], undefined, accepted),
    sent('in the body', [], a(), accepted),
    sent('the same in both', [b], b2, accepted),
    sent('the same after trim in both', [`\t ${c}  `], `\n ${c2}\u3000`, accepted),
    sent('padded with what only JavaScript trims', [Buffer.from(`\u00a0${d}\ufeff`)], d2, accepted),
    sent('with inner blanks', [`${e} \t x`], `${e2} \t x`, accepted),
    sent('twice the same', [f, f2], undefined, accepted),
    sent('twice the same after trim', [g, ` ${g2} `], undefined, accepted),
    sent('with a comma', [`${a()}, x`], undefined, accepted),
    sent('in quotes, which are part of it', [`"${a()}"`], undefined, accepted),
    sent('of 255 astral characters', [Buffer.from('😹'.repeat(254) + '🦊')], undefined, accepted),
    sent(
      'of 255 after trim',
      [Buffer.from(`\u3000${'é'.repeat(254)}x\u3000`)],
      undefined,
      accepted,
    ),
    sent('padded', [padded('\u2003')], undefined, accepted),
    sent('differing', [a()], a(), conflicting),
    sent('differing in case', ['key-A'], 'key-a', conflicting),
    sent('differing in quotes', ['"key-q"'], 'key-q', conflicting),
    sent('differing in normal form', [Buffer.from('e\u0301-k')], '\u00e9-k', conflicting),
    sent('twice and differing', [a(), a()], undefined, conflicting),
    sent('twice and differing, one as in the body', [a(), 'k2'], 'k2', conflicting),
    sent('three times, the last differing', ['k3', 'k3', 'k4'], undefined, conflicting),
    sent('empty in the header', [''], undefined, badKey),
    sent('blank in the header', ['  \t '], undefined, badKey),
    sent(
      'blank but for JavaScript in the header',
      [Buffer.from('\u00a0\u3000')],
      undefined,
      badKey,
    ),
    sent('empty in the body', [], '', badKey),
    sent('empty in both', [''], ' ', badKey),
    sent('of 256', [tooLong], undefined, badKey),
    sent('of 256 in both', [tooLong], tooLong, badKey),
    sent('of 256 astral characters', [Buffer.from('😹'.repeat(256))], undefined, badKey),
    sent('empty in the header and good in the body', [''], a(), badKey), // 422 before 400
    sent('good in the header and empty in the body', [a()], '', badKey),
    sent('good in the header and too long in the body', [a()], tooLong, badKey),
  ];
}

/** Bytes that are no UTF-8 are no text, as half a surrogate pair is none (design 8, "Strings"). */
export function keysOfNoText(caller: Caller): Case[] {
  return ['61ff', 'e9', 'c080', 'eda080', 'f09f98', 'f4908080'].map((hex) => ({
    name: `key: bytes ${hex}`,
    request: eventRequest(caller, body(), {
      addHeaders: [['Idempotency-Key', Buffer.from(hex, 'hex')]],
    }),
    expected: {
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: ['/idempotencyKey INVALID_FORMAT'],
    },
  }));
}

/** A bad key in the header is told with what is wrong in the body. */
export function badKeysAndBodies(caller: Caller): Case[] {
  return ['', ' ', 'x'.repeat(256)].map((key) => ({
    name: `header key of ${key.length} and a body with mistakes`,
    request: eventRequest(caller, bodyOf('amount', '4900'), {
      addHeaders: [['Idempotency-Key', key]],
    }),
    expected: {
      ...badKey,
      anyOrder: true,
      errors: ['/idempotencyKey OUT_OF_RANGE', '/amount INVALID_TYPE'],
    },
  }));
}

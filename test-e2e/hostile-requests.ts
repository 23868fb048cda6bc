/**
 * Bytes that no honest client sends, and what each is answered. `token` is a valid one. A request
 * that is not HTTP is a 400 in the problem shape; whatever can be read as a request is answered by
 * the rules of its path, 401 first (design 8, "Precedence").
 */
export type Hostile = {
  bytes: (token: string) => string;
  /** Through the edge. */
  status: number;
  code: string;
  allow?: string;
  /** Past the edge, where node's parser validates otherwise. */
  atService?: { status: number; code: string };
};

const path = '/v2/events/purchase-created';
const malformed = { status: 400, code: 'MALFORMED_JSON' };
const tooLarge = { status: 413, code: 'PAYLOAD_TOO_LARGE' };
const headersTooLarge = { status: 431, code: 'PAYLOAD_TOO_LARGE' };
const unauthorized = { status: 401, code: 'UNAUTHORIZED' };
const unknownType = { status: 404, code: 'UNKNOWN_EVENT_TYPE' };
const notFound = { status: 404, code: 'NOT_FOUND' };
const otherMethod = { status: 405, code: 'UNKNOWN_EVENT_TYPE', allow: 'POST' };

/** A request with a valid token: everything but what `more` and `body` do is right. */
function request(more: string, body = '', start = `POST ${path} HTTP/1.1`) {
  return (token: string) =>
    `${start}\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n` +
    `Content-Type: application/json\r\n${more}\r\n${body}`;
}

const chunked = 'Transfer-Encoding: chunked\r\n';
const noBody = 'Content-Length: 0\r\n';
const manyHeaders = Array.from({ length: 2_500 }, (_, i) => `a${i}: b\r\n`).join('');

export const hostile: Record<string, Hostile> = {
  // Lengths and codings that leave open where the body ends.
  'two lengths': {
    bytes: request('Content-Length: 2\r\nContent-Length: 3\r\n', '{}'),
    ...malformed,
  },
  'a list of lengths': { bytes: request('Content-Length: 2, 2\r\n', '{}'), ...malformed },
  'a length and chunks': {
    bytes: request(`Content-Length: 2\r\n${chunked}`, '0\r\n\r\n'),
    ...malformed,
  },
  'a negative length': { bytes: request('Content-Length: -1\r\n'), ...malformed },
  'a signed length': { bytes: request('Content-Length: +2\r\n', '{}'), ...malformed },
  'a length beyond all numbers': {
    bytes: request(`Content-Length: ${'9'.repeat(30)}\r\n`),
    ...malformed,
  },
  'gzip before chunked': {
    bytes: request('Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n'),
    ...malformed,
  },
  'an unknown coding': {
    bytes: request('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'),
    ...malformed,
  },
  'chunked twice': { bytes: request(chunked + chunked, '0\r\n\r\n'), ...malformed },
  'a chunk size that is no number': { bytes: request(chunked, 'zz\r\n{}\r\n'), ...malformed },
  'a chunk size beyond all numbers': {
    bytes: request(chunked, `${'f'.repeat(20)}\r\n`),
    ...malformed,
  },
  'a chunk longer than it says': { bytes: request(chunked, '1\r\n{}\r\n0\r\n\r\n'), ...malformed },
  'chunk extensions of 40 KB': {
    bytes: request(chunked, `2;${'x'.repeat(40_000)}\r\n{}\r\n0\r\n\r\n`),
    status: 422,
    code: 'VALIDATION_ERROR',
    atService: tooLarge,
  },

  // Headers.
  'a folded header': { bytes: request(`X-A: b\r\n c\r\n${noBody}`), ...malformed },
  'a NUL in a header': { bytes: request(`X-A: b\0c\r\n${noBody}`), ...malformed },
  'a control character in a header': { bytes: request(`X-A: b\x01c\r\n${noBody}`), ...malformed },
  'a blank before the colon': { bytes: request(`X-A : b\r\n${noBody}`), ...malformed },
  'no Host': {
    bytes: (token) => `GET ${path} HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    ...malformed,
  },
  'headers of 17 KiB': { bytes: request(`X: ${'x'.repeat(17 * 1024)}\r\n`), ...headersTooLarge },
  '2,500 headers': { bytes: request(manyHeaders), ...headersTooLarge },
  'a request line of 17 KiB': {
    bytes: request('', '', `GET /v2/${'x'.repeat(17 * 1024)} HTTP/1.1`),
    status: 414,
    code: 'PAYLOAD_TOO_LARGE',
    atService: headersTooLarge,
  },

  // Request lines.
  rubbish: { bytes: () => '\x16\x03\x01\x02 hello\r\n\r\n', ...malformed },
  'the preface of HTTP/2': { bytes: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', ...malformed },
  'HTTP/2.0 in words': { bytes: request(noBody, '', `POST ${path} HTTP/2.0`), ...malformed },
  'HTTP/9.9': { bytes: request(noBody, '', `POST ${path} HTTP/9.9`), ...malformed },
  'HTTP/1.0 without Host': { bytes: () => `POST ${path} HTTP/1.0\r\n\r\n`, ...unauthorized },
  'a method in lower case': { bytes: request(noBody, '', `post ${path} HTTP/1.1`), ...malformed },
  'the asterisk': {
    bytes: request(noBody, '', 'OPTIONS * HTTP/1.1'),
    ...malformed,
    atService: notFound,
  },
  'CONNECT to a host': { bytes: request('', '', 'CONNECT a:443 HTTP/1.1'), ...malformed },
  'the absolute form of an unknown path': {
    bytes: request(noBody, '', 'POST http://a/v2/events/nothing HTTP/1.1'),
    ...unknownType,
  },
  'an upgrade': {
    bytes: request('Connection: Upgrade\r\nUpgrade: websocket\r\n', '', `GET ${path} HTTP/1.1`),
    ...otherMethod,
  },
  'an unknown method': {
    bytes: request(noBody, '', `FOO ${path} HTTP/1.1`),
    ...otherMethod,
    atService: malformed,
  },
  'an unknown method without a token': {
    bytes: () => `FOO ${path} HTTP/1.1\r\nHost: a\r\n\r\n`,
    ...unauthorized,
    atService: malformed,
  },
  'an unknown method at an unknown type': {
    bytes: request(noBody, '', 'FOO /v2/events/nothing HTTP/1.1'),
    ...unknownType,
    atService: malformed,
  },
  CONNECT: {
    bytes: request('', '', `CONNECT ${path} HTTP/1.1`),
    ...otherMethod,
    atService: malformed,
  },
  'TRACE without a token': {
    bytes: () => `TRACE ${path} HTTP/1.1\r\nHost: a\r\n\r\n`,
    ...unauthorized,
  },
  ...Object.fromEntries(
    ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'].map((method) => [
      method,
      { bytes: request(noBody, '', `${method} ${path} HTTP/1.1`), ...otherMethod },
    ]),
  ),

  // Paths of no service, and methods outside /v2 (design 8: 401 before 405, then Allow).
  ...Object.fromEntries(
    ['/v1/token', '/v1/authentication/token', '/v1/events', '/TOKEN', '//token'].map((p) => [
      p,
      { bytes: request(noBody, '', `POST ${p} HTTP/1.1`), ...notFound },
    ]),
  ),
  // The portal's pages begin there.
  'POST /': {
    bytes: request(noBody, '', 'POST / HTTP/1.1'),
    status: 405,
    code: 'NOT_FOUND',
    allow: 'GET, HEAD',
    atService: notFound,
  },
  'GET /token': {
    bytes: () => 'GET /token HTTP/1.1\r\nHost: a\r\n\r\n',
    status: 405,
    code: 'NOT_FOUND',
    allow: 'POST',
  },
  'DELETE of a referral code without a token': {
    bytes: () => 'DELETE /referral-codes/x HTTP/1.1\r\nHost: a\r\n\r\n',
    ...unauthorized,
  },

  // Refusals before the body.
  'an announced body of 5 MB with a wrong token': {
    bytes: () =>
      `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\nContent-Length: 5000000\r\n\r\n`,
    ...unauthorized,
  },
  'an announced body of 1 MB': { bytes: request('Content-Length: 1000000\r\n'), ...tooLarge },
  'a body of 64 KiB and one byte': {
    bytes: request('Content-Length: 65537\r\n', ' '.repeat(65_537)),
    ...tooLarge,
  },
  'chunks of more than 64 KiB': {
    bytes: request(chunked, `8000\r\n${' '.repeat(32_768)}\r\n`.repeat(3)),
    ...tooLarge,
  },
};

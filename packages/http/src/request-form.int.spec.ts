import { expect } from 'chai';
import { assignRequestId } from './request-id.ts';
import { sendJson } from './problem-response.ts';
import type { Listener } from './server.ts';
import { connectRaw, parseAnswer, serve } from './testing.ts';

describe('the form of a request (RFC 9112)', () => {
  let listener: Listener;
  let served: number;

  before(async () => {
    listener = await serve((req, res) => {
      served += 1;
      assignRequestId(req, res);
      sendJson(res, 200, {});
    });
  });
  beforeEach(() => (served = 0));
  after(() => listener.stop());

  const mistakes: Record<string, string> = {
    'HTTP/1.1 without Host': 'GET / HTTP/1.1\r\n\r\n',
    'two Host lines': 'GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n',
    'HTTP/2.0 in words': 'GET / HTTP/2.0\r\nHost: a\r\n\r\n',
    'a transfer coding before chunked':
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    'two lengths': 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
    'a length and chunks':
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'a folded header': 'GET / HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\n\r\n',
    'a NUL in a header': 'GET / HTTP/1.1\r\nHost: a\r\nX-A: b\0c\r\n\r\n',
    'bare line feeds': 'GET / HTTP/1.1\nHost: a\n\n',
    'a method in lower case': 'post / HTTP/1.1\r\nHost: a\r\n\r\n',
    'a method that the parser does not know': 'FOO / HTTP/1.1\r\nHost: a\r\n\r\n',
    CONNECT: 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n',
    'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  };

  for (const [what, bytes] of Object.entries(mistakes)) {
    it(`answers ${what} with a 400 problem that names the request, and closes`, async () => {
      const connection = await connectRaw(listener.port);
      connection.send(bytes);
      expect(await connection.closed).to.deep.equal({ reset: false });
      const { status, headers, body } = parseAnswer(connection.received());
      expect(status).to.equal(400);
      expect(headers).to.include({
        'content-type': 'application/problem+json',
        'content-length': String(Buffer.byteLength(body)),
        'cache-control': 'no-store',
        connection: 'close',
      });
      const problem = JSON.parse(body) as { code: string; instance: string };
      expect(problem).to.include({ code: 'MALFORMED_JSON', instance: headers['x-request-id'] });
      expect(problem.instance).to.match(/^[0-9a-f-]{36}$/);
      expect(served).to.equal(0);
    });
  }

  for (const [what, bytes] of Object.entries({
    'HTTP/1.0 without Host': 'GET / HTTP/1.0\r\n\r\n',
    'an expectation that is none of ours':
      'GET / HTTP/1.1\r\nHost: a\r\nExpect: pizza\r\nConnection: close\r\n\r\n',
    'an upgrade that is not offered':
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade, close\r\nUpgrade: h2c\r\n\r\n',
  })) {
    it(`serves ${what}`, async () => {
      const connection = await connectRaw(listener.port);
      connection.send(bytes);
      await connection.closed;
      expect(parseAnswer(connection.received()).status).to.equal(200);
    });
  }
});

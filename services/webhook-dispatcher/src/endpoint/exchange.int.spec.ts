import { eventually } from '@tributary/testkit/eventually';
import { attackMade } from '@tributary/testkit/attacks';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { ExchangeEnd } from '../domain/outcome.ts';
import type { Exchange } from './exchange.ts';
import { authorization, post, testCredentials, testExchange } from './testing/post.ts';
import {
  answerOk,
  flood,
  type RawServer,
  startRawServer,
} from '@tributary/guarded-connections/testing/raw-server';

describe('createExchange', () => {
  const servers: RawServer[] = [];
  const exchanges: Exchange[] = [];

  afterEach(async () => {
    await Promise.all(exchanges.splice(0).map((exchange) => exchange.close()));
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });

  async function serve(answer: (socket: Socket, request: number) => void): Promise<RawServer> {
    const server = await startRawServer(answer);
    servers.push(server);
    return server;
  }

  function client(changes: Parameters<typeof testExchange>[0] = {}): Exchange {
    const exchange = testExchange(changes);
    exchanges.push(exchange);
    return exchange;
  }

  describe('an answer', () => {
    it('is taken with its status, headers and body', async () => {
      const server = await serve((socket) => {
        socket.write('HTTP/1.1 500 Oh\r\nX-Reason: bad day\r\ncontent-length: 5\r\n\r\noops!');
      });
      expect(await post(client(), server.origin)).to.deep.equal({
        end: 'answered',
        statusCode: 500,
        answer: {
          statusCode: 500,
          headers: [
            ['x-reason', 'bad day'],
            ['content-length', '5'],
          ],
          body: 'oops!',
          cut: false,
        },
      });
    });

    it('hands on Retry-After as it came, whatever it says', async () => {
      const values = ['120', 'Sun, 01 Mar 2026 10:00:30 GMT', 'soonish; maybe'];
      const server = await serve((socket, request) => {
        const value = values[request];
        const header = value === undefined ? '' : `retry-after: ${value}\r\n`;
        socket.write(`HTTP/1.1 429 Slow down\r\n${header}content-length: 0\r\n\r\n`);
      });
      const exchange = client();
      for (const value of [...values, undefined]) {
        const end = answered(await post(exchange, server.origin));
        expect([end.statusCode, end.retryAfter]).to.deep.equal([429, value]);
      }
    });

    it('leaves the connection for the next one', async () => {
      const server = await serve((socket) => answerOk(socket));
      const exchange = client();
      for (let nth = 0; nth < 20; nth += 1) await post(exchange, server.origin);
      // A second one when the first is not back yet at the very moment of the next request.
      expect(server.connections()).to.be.at.most(2);
      expect(server.requests).to.have.length(20);
    });

    it('counts though the connection breaks after its headers', async () => {
      const server = await serve((socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nthe start', () => {
          socket.resetAndDestroy();
        });
      });
      const end = answered(await post(client(), server.origin));
      expect(end.statusCode).to.equal(200);
      expect(end.answer.cut).to.equal(true);
    });

    it('is not mixed up with what a receiver says unasked', async () => {
      const poison = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
      const server = await serve((socket, request) => {
        const failure = 'HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n';
        socket.write(request === 0 ? `${poison}${poison}` : failure);
      });
      const exchange = client();
      expect(answered(await post(exchange, server.origin)).statusCode).to.equal(200);
      expect(answered(await post(exchange, server.origin)).statusCode).to.equal(500);
    });
  });

  describe('a redirect', () => {
    it('is an answer like any other: nothing is sent where it points', async () => {
      const elsewhere = await serve((socket) => answerOk(socket));
      const codes = [301, 302, 303, 307, 308];
      const server = await serve((socket, request) => {
        const location = `location: ${elsewhere.origin}/admin\r\n`;
        socket.write(`HTTP/1.1 ${codes[request]} x\r\n${location}content-length: 0\r\n\r\n`);
      });
      const exchange = client();
      for (const code of codes) {
        expect(answered(await post(exchange, server.origin)).statusCode).to.equal(code);
      }
      expect(elsewhere.connections()).to.equal(0);
      expect(server.requests).to.have.length(codes.length);
      attackMade('ssrf', 'redirects to something inside');
    });
  });

  describe('time', () => {
    const shortly = { timeoutMs: patiently(300) };
    const within = `within ${shortly.timeoutMs / 1_000} s`;

    it('is over when nothing is answered', async () => {
      const server = await serve(() => undefined);
      expect(await post(client(shortly), server.origin)).to.deep.equal({
        end: 'no-answer',
        result: 'timeout',
        detail: `no answer ${within}`,
      });
    });

    it('is over when a body drips for ever, and the connection is closed', async () => {
      const drips = new Set<NodeJS.Timeout>();
      let closed = false;
      const server = await serve((socket) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
        const drip = setInterval(() => socket.write('1\r\nx\r\n'), 20);
        drips.add(drip);
        socket.on('close', () => {
          clearInterval(drip);
          closed = true;
        });
      });
      const end = await post(client(shortly), server.origin);
      expect(end).to.deep.equal({
        end: 'no-answer',
        result: 'timeout',
        detail: `the answer (status 200) did not end ${within}`,
      });
      await eventually(() => expect(closed).to.equal(true));
    });

    it('is over when headers drip for ever', async () => {
      const server = await serve((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const drip = setInterval(() => socket.write('x: y\r\n'), 20);
        socket.on('close', () => clearInterval(drip));
      });
      const end = await post(client(shortly), server.origin);
      expect(end).to.include({ end: 'no-answer', result: 'timeout' });
    });

    it('is over for each by itself: one that hangs does not delay the others', async () => {
      const server = await serve((socket, request) => {
        if (request > 0) answerOk(socket);
      });
      const exchange = client();
      const hanging = post(exchange, server.origin);
      await eventually(() => expect(server.requests).to.have.length(1));
      const others = await Promise.all(
        Array.from({ length: 20 }, () => post(exchange, server.origin)),
      );
      expect(new Set(others.map((end) => end.end))).to.deep.equal(new Set(['answered']));
      await exchange.close();
      expect(await hanging.catch(() => 'closed')).to.equal('closed');
    });

    it('is over when no secure connection comes about', async () => {
      const server = await serve(() => undefined);
      // Nothing has to happen within it.
      const exchange = client({ timeoutMs: 300 });
      expect(await post(exchange, `https://127.0.0.1:${server.port}`)).to.deep.equal({
        end: 'no-answer',
        result: 'timeout',
        detail: 'no connection within 0.3 s',
      });
    });
  });

  describe('size', () => {
    it('of a body does not matter: 1 GiB is read up to the limit, memory stays flat', async () => {
      const server = await serve((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${2 ** 30}\r\n\r\n`);
        flood(socket, Buffer.alloc(64 * 1024, 'x'));
      });
      const exchange = client();
      await post(exchange, server.origin);
      const before = process.memoryUsage().rss;
      const ends = await Promise.all(
        Array.from({ length: 50 }, () => post(exchange, server.origin)),
      );
      for (const end of ends) {
        expect(answered(end).answer.body).to.equal('x'.repeat(4_096));
        expect(answered(end).answer.cut).to.equal(true);
      }
      expect(process.memoryUsage().rss - before).to.be.below(150 * 2 ** 20);
      expect(server.bytesWritten()).to.be.below(51 * 16 * 2 ** 20);
    });

    it('of what is packed is never found out', async () => {
      const bomb = gzipSync(Buffer.alloc(8 * 2 ** 20));
      const server = await serve((socket) => {
        const headers = `content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n`;
        socket.write(`HTTP/1.1 200 OK\r\n${headers}\r\n`);
        socket.write(bomb);
      });
      const end = answered(await post(client(), server.origin));
      expect(end.answer).to.include({ statusCode: 200, body: '', cut: true });
      expect(server.requests[0]).not.to.match(/accept-encoding/i);
    });

    it('of headers is limited', async () => {
      const server = await serve((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        flood(socket, Buffer.from(`x-${'y'.repeat(60)}: ${'z'.repeat(900)}\r\n`));
      });
      expect(await post(client(), server.origin)).to.deep.include({
        end: 'no-answer',
        result: 'reset',
      });
    });

    it('of one header line is limited', async () => {
      const server = await serve((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nx: ');
        flood(socket, Buffer.alloc(16 * 1024, 'x'));
      });
      expect(await post(client(), server.origin)).to.include({ result: 'reset' });
    });

    it('of early hints is limited: a flood of them is no answer', async () => {
      const server = await serve((socket) => {
        flood(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(10)));
      });
      expect(await post(client(), server.origin)).to.deep.equal({
        end: 'no-answer',
        result: 'reset',
        detail: 'more than 16 informational answers and no final one',
      });
    });

    it('of early hints is no harm by itself', async () => {
      const server = await serve((socket) => {
        socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(5));
        answerOk(socket);
      });
      expect(answered(await post(client(), server.origin)).statusCode).to.equal(200);
    });
  });

  describe('a connection', () => {
    it('that breaks before an answer is a reset', async () => {
      const server = await serve((socket) => socket.resetAndDestroy());
      const end = await post(client(), server.origin);
      expect(end).to.include({ end: 'no-answer', result: 'reset' });
      expect(detailOf(end)).to.match(/broke off before an answer/);
    });

    it('that nobody accepts is refused', async () => {
      const server = await serve(() => undefined);
      await servers.splice(0)[0]!.stop();
      const end = await post(client(), server.origin);
      expect(end).to.include({ end: 'no-answer', result: 'refused' });
      expect(detailOf(end)).to.include(`127.0.0.1:${server.port}`);
    });

    it('that speaks something else is a reset', async () => {
      const openings = ['SSH-2.0-OpenSSH_9.2\r\n', '\0\0\0', 'HTTP/1.1 999999 x\r\n\r\n', '\r\n'];
      const server = await serve((socket, request) => socket.end(openings[request] ?? ''));
      const exchange = client();
      for (const opening of openings) {
        expect(await post(exchange, server.origin), opening).to.include({ result: 'reset' });
      }
    });

    it('is not handed to another protocol', async () => {
      const server = await serve((socket) => {
        socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
      });
      expect(await post(client(), server.origin)).to.include({ result: 'reset' });
    });
  });

  describe('what is kept', () => {
    it('has no credentials of ours in any form, no cookies and nothing that harms', async () => {
      const { username, password } = testCredentials;
      const base64 = authorization.slice('Basic '.length);
      const forms = [
        authorization,
        `${username}:${password}`,
        encodeURIComponent(password),
        JSON.stringify({ password }),
        Buffer.from(password).toString('base64'),
      ];
      const body = `you sent ${forms.join(' and ')}\0\u001b[31m\u0007${'é'.repeat(10)}`;
      const server = await serve((socket) => {
        const echo = `x-echo: ${base64}\r\nset-cookie: session=abc\r\nset-cookie: other=def\r\n`;
        const bytes = Buffer.concat([Buffer.from(body), Buffer.from([0xff, 0xfe])]);
        socket.write(`HTTP/1.1 400 Bad\r\n${echo}content-length: ${bytes.length}\r\n\r\n`);
        socket.write(bytes);
      });
      const { answer } = answered(await post(client(), server.origin));
      const kept = JSON.stringify(answer);
      for (const secret of [password, base64, 'session=abc', 'other=def', ...forms]) {
        expect(kept).not.to.include(secret);
      }
      expect(answer.body).to.match(/^you sent (Basic )?\[removed\]/);
      for (const odd of ['\0', '\u0007', '\u001b']) expect(answer.body).not.to.include(odd);
      expect(answer.body).to.match(/é{10}\ufffd\ufffd$/);
    });
  });

  it('comes to an end whatever bytes are answered', async () => {
    const fragments = fc.oneof(
      fc.constantFrom(
        'HTTP/1.1 200 OK\r\n',
        'HTTP/1.1 103 Hints\r\n\r\n',
        'HTTP/1.1 100 Continue\r\n\r\n',
        'HTTP/1.1 401 No\r\n',
        'content-length: 3\r\n',
        'content-length: 99999999999999999999\r\n',
        'transfer-encoding: chunked\r\n',
        'connection: close\r\n',
        'connection: upgrade\r\nupgrade: h2c\r\n',
        'x: y\r\n',
        '\r\n',
        '3\r\nabc\r\n',
        '0\r\n\r\n',
        'ffffffffffffffff\r\n',
        'abc',
      ),
      fc.string({ unit: 'binary-ascii', maxLength: 20 }),
    );
    let bytes = '';
    const server = await serve((socket) => socket.end(bytes));
    const exchange = client();
    const whole = fc.array(fragments, { maxLength: 12 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(whole, async (text) => {
        bytes = text;
        const end = await post(exchange, server.origin);
        expect(end.end === 'answered' || end.result === 'reset').to.equal(true);
      }),
      { numRuns: 300 },
    );
  });

  it('tells a fault of our own from one of the endpoint', async () => {
    const server = await serve((socket) => answerOk(socket));
    const exchange = client();
    await exchange.close();
    const error: unknown = await post(exchange, server.origin).catch((reason: unknown) => reason);
    expect(error).to.be.an('error');
  });
});

function answered(end: ExchangeEnd): Extract<ExchangeEnd, { end: 'answered' }> {
  if (end.end !== 'answered') throw new Error(`no answer: ${JSON.stringify(end)}`);
  return end;
}

function detailOf(end: ExchangeEnd): string {
  return end.end === 'answered' ? '' : (end.detail ?? '');
}

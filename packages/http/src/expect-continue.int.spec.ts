import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { readBody } from './body-reader.ts';
import { sendJson, sendProblem } from './problem-response.ts';
import type { Listener } from './server.ts';
import { connectRaw, type RawConnection, serve } from './testing.ts';

const ask = (path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;

describe('Expect: 100-continue', () => {
  let listener: Listener;
  let connection: RawConnection;
  let paths: string[];

  before(async () => {
    listener = await serve(async (req, res) => {
      paths.push(req.url ?? '');
      if (req.url === '/refused') return sendProblem(res, 'UNAUTHORIZED');
      const body = await readBody(req, { limitBytes: 10 });
      if (body.outcome === 'too-large') return sendProblem(res, 'PAYLOAD_TOO_LARGE');
      if (body.outcome === 'read') sendJson(res, 200, { read: body.bytes.toString() });
    });
  });
  beforeEach(async () => {
    paths = [];
    connection = await connectRaw(listener.port);
  });
  afterEach(() => connection.socket.destroy());
  after(() => listener.stop());

  it('is invited when the body is about to be read', async () => {
    connection.send(ask('/', 2));
    await eventually(() => expect(connection.received()).to.include('100 Continue\r\n\r\n'));
    connection.send('{}');
    await eventually(() => expect(connection.received()).to.include('{"read":"{}"}'));
    expect(connection.received()).to.match(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });

  it('gets 401 or 413 instead of an invitation, and the connection ends', async () => {
    for (const [path, length, status] of [
      ['/refused', 5, 401],
      ['/', 11, 413],
    ] as const) {
      const asking = await connectRaw(listener.port);
      asking.send(ask(path, length));
      await asking.closed;
      expect(asking.received().startsWith(`HTTP/1.1 ${status} `)).to.equal(true);
      expect(asking.received()).to.include('Connection: close');
    }
  });

  it('makes no request of what follows a refusal, be it the body or not', async () => {
    connection.send(ask('/refused', 200) + 'POST /next HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(10));
    expect(await connection.closed).to.deep.equal({ reset: false });
    expect(connection.received().match(/HTTP\/1\.1 /g)).to.have.length(1);
    expect(paths).to.deep.equal(['/refused']);
  });
});

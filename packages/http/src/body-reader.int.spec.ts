import { expect } from 'chai';
import { eventually } from '@tributary/testkit/eventually';
import { type BodyOutcome, readBody } from './body-reader.ts';
import { sendJson, sendProblem } from './problem-response.ts';
import type { Listener } from './server.ts';
import { connectRaw, parseAnswer, serve } from './testing.ts';

const limitBytes = 1_000;

describe('body reader', () => {
  let listener: Listener;
  let outcomes: BodyOutcome[];
  let listenersLeft: number[];

  before(async () => {
    listener = await serve(async (req, res) => {
      const counts = () =>
        ['data', 'end', 'close', 'error'].reduce((sum, name) => sum + req.listenerCount(name), 0);
      const before = counts();
      const body = await readBody(req, { limitBytes });
      listenersLeft.push(counts() - before);
      outcomes.push(body);
      if (body.outcome === 'too-large') sendProblem(res, 'PAYLOAD_TOO_LARGE');
      if (body.outcome === 'read') sendJson(res, 200, { length: body.bytes.length });
    });
  });
  beforeEach(() => {
    outcomes = [];
    listenersLeft = [];
  });
  after(() => listener.stop());
  afterEach('leaves no listener on the request', () => {
    expect(listenersLeft.every((count) => count === 0)).to.equal(true);
  });

  const post = (body: Exclude<RequestInit['body'], undefined>) =>
    fetch(`http://127.0.0.1:${listener.port}/`, { method: 'POST', body, duplex: 'half' });

  /** A chunked body of unknown length. */
  const stream = (...chunks: string[]) =>
    ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)));

  it('gives all bytes up to the limit, in one piece or many, and of no body none', async () => {
    for (const [body, length] of [
      ['x'.repeat(limitBytes), limitBytes],
      [stream('a'.repeat(400), 'b'.repeat(600)), limitBytes],
      [null, 0],
    ] as const) {
      const answer = await post(body);
      expect(await answer.json()).to.deep.equal({ length });
    }
  });

  it('refuses one byte more, announced or not', async () => {
    for (const body of ['x'.repeat(limitBytes + 1), stream('a'.repeat(400), 'b'.repeat(601))]) {
      const answer = await post(body);
      expect(answer.status).to.equal(413);
      expect(await answer.json()).to.include({ code: 'PAYLOAD_TOO_LARGE' });
    }
  });

  it('answers an announced large body before its first byte, and closes', async () => {
    const connection = await connectRaw(listener.port);
    connection.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n');
    await eventually(() => expect(connection.received()).to.include('PAYLOAD_TOO_LARGE'));
    const { status, headers } = parseAnswer(connection.received());
    expect(status).to.equal(413);
    expect(headers).to.include({ connection: 'close' });
    connection.socket.end();
    expect(await connection.closed).to.deep.equal({ reset: false });
  });

  it('lets a caller that goes on sending see the whole answer', async () => {
    const connection = await connectRaw(listener.port);
    connection.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 700000\r\n\r\n');
    for (let i = 0; i < 7; i++) connection.send('x'.repeat(100_000));
    expect(await connection.closed).to.deep.equal({ reset: false });
    const { status, body } = parseAnswer(connection.received());
    expect(status).to.equal(413);
    expect(JSON.parse(body)).to.include({ code: 'PAYLOAD_TOO_LARGE', status: 413 });
  });

  it('closes on a caller that would send for ever', async () => {
    const connection = await connectRaw(listener.port);
    connection.send('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = `${(50_000).toString(16)}\r\n${'x'.repeat(50_000)}\r\n`;
    const sending = setInterval(() => connection.send(chunk), 5);
    await connection.closed.finally(() => clearInterval(sending));
    expect(parseAnswer(connection.received()).status).to.equal(413);
  });

  it('keeps the connection when what is left is small', async () => {
    const connection = await connectRaw(listener.port);
    const large = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n${'x'.repeat(2_000)}`;
    const small = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc';
    connection.send(large + small);
    await eventually(() => expect(connection.received()).to.include('{"length":3}'));
    connection.socket.destroy();
    await connection.closed;
  });

  it('reports a caller that goes away in the middle', async () => {
    const connection = await connectRaw(listener.port);
    connection.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc');
    connection.socket.destroySoon();
    await eventually(() => expect(outcomes).to.deep.equal([{ outcome: 'aborted' }]));
    await connection.closed;
  });

  it('reports a body that breaks the chunked form', async () => {
    const connection = await connectRaw(listener.port);
    connection.send('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n');
    await connection.closed;
    expect(parseAnswer(connection.received()).status).to.equal(400);
    await eventually(() => expect(outcomes).to.deep.equal([{ outcome: 'aborted' }]));
  });
});

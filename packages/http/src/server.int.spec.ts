import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '@tributary/testkit/eventually';
import { readBody } from './body-reader.ts';
import { sendJson } from './problem-response.ts';
import type { Listener } from './server.ts';
import { connectRaw, parseAnswer, serve } from './testing.ts';

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

describe('listener', () => {
  let listener: Listener;
  /** Requests to /slow, which are answered when the test says so. */
  let waiting: ServerResponse[];

  beforeEach(async () => {
    waiting = [];
    listener = await serve(answer, {
      ...{ requestTimeoutMs: 400, headersTimeoutMs: 200, stopTimeoutMs: 1_000 },
    });
  });
  afterEach(() => listener.stop());

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.url === '/broken') throw new Error('disk full');
    if (req.url === '/slow') return void waiting.push(res);
    const body = await readBody(req, { limitBytes: 10_000 });
    if (body.outcome === 'read') sendJson(res, 200, { length: body.bytes.length });
  }

  it('rejects when its port is taken', async () => {
    const again = serve(() => undefined, { port: listener.port });
    const error = await again.catch((thrown: unknown) => thrown);
    expect(error).to.have.property('code', 'EADDRINUSE');
  });

  it('answers 500 with a fixed detail when a handler fails', async () => {
    const answer = await fetch(`http://127.0.0.1:${listener.port}/broken`);
    expect(answer.status).to.equal(500);
    const text = await answer.text();
    expect(text).to.include('INTERNAL_ERROR').and.not.include('disk full');
  });

  it('writes what it refuses by itself in the form that it was given', async () => {
    const frozen = await serve(() => Promise.reject(new Error('disk full')), {
      refusalForm: ({ detail }) => ({ contentType: 'application/json', body: `["${detail}"]` }),
    });
    const requests = ['RUBBISH\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n', get];
    for (const [i, status] of [400, 400, 500].entries()) {
      const connection = await connectRaw(frozen.port);
      connection.send(requests[i]!);
      await eventually(() => expect(connection.received()).to.include('\r\n\r\n["'));
      const answer = parseAnswer(connection.received());
      expect(answer).to.include({ status });
      expect(answer.headers['content-type']).to.equal('application/json');
      connection.socket.destroy();
    }
    await frozen.stop();
  });

  it('takes a target with scheme and host for the path that it names (RFC 9112 3.2.2)', async () => {
    const echo = await serve((req, res) => sendJson(res, 200, { url: req.url }));
    for (const [target, url] of [
      ['http://a/x?y=1', '/x?y=1'],
      ['HTTPS://a:80', '/'],
      ['http://a?q', '/?q'],
      ['/http://a/x', '/http://a/x'],
    ]) {
      const connection = await connectRaw(echo.port);
      connection.send(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
      await eventually(() => expect(connection.received()).to.include(JSON.stringify({ url })));
      connection.socket.destroy();
    }
    await echo.stop();
  });

  it('ends a connection that asks for an upgrade, so that nothing behind it is lost silently', async () => {
    const connection = await connectRaw(listener.port);
    const upgrade =
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    connection.send(`${upgrade}${get}`);
    await connection.closed;
    expect(connection.received())
      .to.match(/^HTTP\/1\.1 200 OK/)
      .and.match(/connection: close/i);
  });

  it('closes connections beyond its limit, and takes new ones when there is room', async () => {
    const small = await serve((_req, res) => sendJson(res, 200, {}), { maxConnections: 2 });
    const held = [await connectRaw(small.port), await connectRaw(small.port)];
    const third = await connectRaw(small.port);
    await third.closed;
    held[0]!.socket.destroy();
    await eventually(async () => {
      const next = await connectRaw(small.port);
      next.send(get);
      // One that was late must not take the room of the one after it.
      await eventually(() => expect(next.received()).to.include('200 OK'), {
        deadlineMs: 200,
      }).finally(() => next.socket.destroy());
    });
    await small.stop();
  });

  describe('stop', () => {
    it('answers what is under way, with Connection: close, and takes no new connection', async () => {
      const connection = await connectRaw(listener.port);
      connection.send('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
      await eventually(() => expect(waiting).to.have.length(1));
      const stopped = listener.stop();
      const refused = await connectRaw(listener.port).catch((error: unknown) => error);
      expect(refused).to.have.property('code', 'ECONNREFUSED');
      sendJson(waiting[0]!, 200, { done: true });
      expect(await connection.closed).to.deep.equal({ reset: false });
      const { status, headers, body } = parseAnswer(connection.received());
      expect({ status, body }).to.deep.equal({ status: 200, body: '{"done":true}' });
      expect(headers).to.include({ connection: 'close' });
      await stopped;
    });

    it('closes a connection whose answer had begun before', async () => {
      const connection = await connectRaw(listener.port);
      connection.send('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
      await eventually(() => expect(waiting).to.have.length(1));
      waiting[0]!.writeHead(200, { 'Content-Length': 8 });
      waiting[0]!.write('half');
      const stopped = listener.stop();
      waiting[0]!.end('half');
      await connection.closed;
      expect(parseAnswer(connection.received()).body).to.equal('halfhalf');
      await stopped;
    });

    it('serves a request that comes on a live connection while another is under way', async () => {
      const patient = await serve(answer);
      const [slow, live] = [await connectRaw(patient.port), await connectRaw(patient.port)];
      slow.send('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
      live.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n1');
      await eventually(() => expect(waiting).to.have.length(1));
      const stopped = patient.stop();
      live.send('2');
      await live.closed;
      expect(parseAnswer(live.received())).to.deep.include({ status: 200, body: '{"length":2}' });
      sendJson(waiting[0]!, 200, {});
      await stopped;
    });

    it('answers a request whose head was half there when the last one was answered', async () => {
      const patient = await serve((_req, res) => void waiting.push(res));
      const [first, late] = [await connectRaw(patient.port), await connectRaw(patient.port)];
      first.send('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
      late.send('GET /slow HTTP/1.1\r\nHos');
      await eventually(() => expect(waiting).to.have.length(1));
      const stopped = patient.stop();
      sendJson(waiting[0]!, 200, {});
      late.send('t: a\r\n\r\n');
      await eventually(() => expect(waiting).to.have.length(2));
      await delay(300);
      sendJson(waiting[1]!, 200, { late: true });
      await late.closed;
      expect(parseAnswer(late.received()).body).to.equal('{"late":true}');
      await stopped;
    });

    it('closes idle connections, silent ones and half requests without waiting for them', async () => {
      const connections = await Promise.all([1, 2, 3].map(() => connectRaw(listener.port)));
      const [idle, , half] = connections;
      idle!.send(get);
      await eventually(() => expect(idle!.received()).to.include('{"length":0}'));
      half!.send('GET / HTTP/1.1\r\nHos');
      const begun = performance.now();
      await listener.stop();
      await Promise.all(connections.map(({ closed }) => closed));
      expect(performance.now() - begun).to.be.below(900);
    });

    it('serves what comes on kept connections while it drains, and closes each with its answer', async () => {
      const draining = await serve((_req, res) => sendJson(res, 200, {}), { drainMs: 60_000 });
      const connections = await Promise.all([1, 2, 3].map(() => connectRaw(draining.port)));
      for (const one of connections) one.send(get);
      const answers = (of: string) => of.split('HTTP/1.1 200').length - 1;
      for (const one of connections) {
        await eventually(() => expect(answers(one.received())).to.equal(1));
      }
      const stopped = draining.stop();
      for (const one of connections) {
        await delay(50);
        one.send(get);
        expect(await one.closed).to.deep.equal({ reset: false });
        expect(answers(one.received())).to.equal(2);
        expect(one.received()).to.match(/Connection: close/i);
      }
      // Nobody is left: it does not wait for the rest of the minute.
      await stopped;
    });

    it('answers before a body has come while it drains, and resets nothing', async () => {
      const refuse = (_req: unknown, res: ServerResponse) => sendJson(res, 401, {});
      const draining = await serve(refuse, { drainMs: 60_000 });
      const connection = await connectRaw(draining.port);
      const stopped = draining.stop();
      // It writes before it reads, so a reset would take the answer from it.
      connection.socket.pause();
      connection.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n');
      for (let sent = 0; sent < 60_000; sent += 20_000) {
        await delay(50);
        connection.send('x'.repeat(20_000));
      }
      connection.socket.resume();
      expect(await connection.closed).to.deep.equal({ reset: false });
      expect(parseAnswer(connection.received())).to.include({ status: 401 });
      await stopped;
    });

    it('closes what nobody has used when the time to drain is over', async () => {
      const draining = await serve((_req, res) => sendJson(res, 200, {}), { drainMs: 300 });
      const idle = await connectRaw(draining.port);
      idle.send(get);
      await eventually(() => expect(idle.received()).to.include('200'));
      await draining.stop();
      await idle.closed;
    });

    it('cuts off what does not end in time', async () => {
      const connection = await connectRaw(listener.port);
      connection.send('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
      await eventually(() => expect(waiting).to.have.length(1));
      await listener.stop();
      await connection.closed;
      expect(connection.received()).to.equal('');
    });

    it('may be called twice', async () => {
      await Promise.all([listener.stop(), listener.stop()]);
    });
  });

  describe('what is no request', () => {
    async function refusalOf(...bytes: string[]) {
      const connection = await connectRaw(listener.port);
      for (const text of bytes) connection.send(text);
      await connection.closed;
      const { status, headers, body } = parseAnswer(connection.received());
      expect(headers).to.include({
        connection: 'close',
        'content-type': 'application/problem+json',
        'content-length': String(Buffer.byteLength(body)),
      });
      const problem = JSON.parse(body) as { status: number; code: string };
      expect(problem.status).to.equal(status);
      return { status, code: problem.code };
    }

    it('is answered 400 when it is not HTTP', async () => {
      const refusal = { status: 400, code: 'MALFORMED_JSON' };
      expect(await refusalOf('HELLO\r\n\r\n')).to.deep.equal(refusal);
      expect(await refusalOf('GET / HTTP/1.1\r\nHost : a\r\n\r\n')).to.deep.equal(refusal);
    });

    it('is answered 431 when its headers are over 16 KiB', async () => {
      const header = `X-Large: ${'x'.repeat(17 * 1024)}\r\n`;
      const refusal = await refusalOf(`GET / HTTP/1.1\r\nHost: a\r\n${header}\r\n`);
      expect(refusal).to.deep.equal({ status: 431, code: 'PAYLOAD_TOO_LARGE' });
    });

    it('is answered 431 also while it goes on sending', async () => {
      const more = Array.from({ length: 20 }, (_, i) => `X-${i}: ${'x'.repeat(20_000)}\r\n`);
      const refusal = await refusalOf('GET / HTTP/1.1\r\nHost: a\r\n', ...more);
      expect(refusal.status).to.equal(431);
    });

    it('is answered 408 when its headers or its body come too slowly', async () => {
      const refusal = { status: 408, code: 'MALFORMED_JSON' };
      expect(await refusalOf('GET / HTTP/1.1\r\nHost:')).to.deep.equal(refusal);
      const halfBody = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc';
      expect(await refusalOf(halfBody)).to.deep.equal(refusal);
    });

    it('is not answered twice when only the rest of an answered request fails to come', async () => {
      const connection = await connectRaw(listener.port);
      connection.send('POST /broken HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\nabc');
      expect(await connection.closed).to.deep.equal({ reset: false });
      expect(connection.received().match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 500']);
    });

    it('does not take the place of the answer to a whole request before it', async () => {
      const connection = await connectRaw(listener.port);
      connection.send('GET /slow HTTP/1.1\r\nHost: a\r\n\r\nrubbish\r\n\r\n');
      await eventually(() => expect(waiting).to.have.length(1));
      sendJson(waiting[0]!, 200, { mine: true });
      await connection.closed;
      expect(connection.received()).to.include('{"mine":true}').and.not.include('problem');
    });
  });
});

import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { readJsonBody } from './json-body.ts';
import { sendJson, sendProblem } from './problem-response.ts';
import type { Listener } from './server.ts';
import { connectRaw, parseAnswer, type RawConnection, serve } from './testing.ts';

const roomBytes = 10_000;

describe('room for bodies', () => {
  let listener: Listener;
  /** Requests whose bodies are read and whose answers wait. */
  let waiting: ServerResponse[];
  let connections: RawConnection[];

  beforeEach(async () => {
    [waiting, connections] = [[], []];
    listener = await serve(
      async (req, res) => {
        const reading = await readJsonBody(req, () => ({ outcome: 'read' }) as const);
        if (reading.outcome === 'aborted') return;
        if (reading.outcome === 'refused') return sendProblem(res, reading.code, reading.about);
        waiting.push(res);
      },
      { maxBodyBytesUnderWay: roomBytes, maxBodiesComing: 20, stopTimeoutMs: 100 },
    );
  });
  afterEach(async () => {
    for (const { socket } of connections) socket.destroy();
    await listener.stop();
  });

  async function post(announced: number, sent: number): Promise<RawConnection> {
    const connection = await connectRaw(listener.port);
    connections.push(connection);
    const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`;
    connection.send(`${head}Content-Length: ${announced}\r\n\r\n${'x'.repeat(sent)}`);
    return connection;
  }

  async function refused(): Promise<void> {
    const connection = await post(6_000, 6_000);
    await eventually(() => expect(connection.received()).to.include('\r\n\r\n'));
    const { status, headers, body } = parseAnswer(connection.received());
    expect(status).to.equal(503);
    expect(headers).to.include({ 'retry-after': '1' });
    expect(JSON.parse(body)).to.include({ code: 'SERVICE_UNAVAILABLE' });
  }

  it('is taken until the answer is out; who finds none gets 503 and may come again', async () => {
    await post(6_000, 6_000);
    await eventually(() => expect(waiting).to.have.length(1));
    await refused();
    sendJson(waiting[0]!, 200, {});
    await eventually(() => expect(connections[0]!.received()).to.include('200 OK'));
    await post(6_000, 6_000);
    await eventually(() => expect(waiting).to.have.length(2));
  });

  it('is asked for again on the same connection by who found none', async () => {
    await post(6_000, 6_000);
    const connection = await post(6_000, 5_000);
    await eventually(() => expect(connection.received()).to.include('503 '));
    connection.send('x'.repeat(1_000));
    connection.send('GET / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\r\n');
    await eventually(() => expect(waiting).to.have.length(2));
  });

  it('is taken by half a body too, and given back when its sender goes away', async () => {
    const half = await post(8_000, 5_000);
    await eventually(refused, { deadlineMs: 900 });
    half.socket.destroy();
    await eventually(async () => {
      await post(6_000, 6_000);
      expect(waiting).to.have.length(1);
    });
  });

  it('is left by bodies that come slowly, the oldest first, when others need it', async () => {
    const oldest = await post(8_000, 4_000);
    const second = await post(8_000, 4_000);
    await delay(1_100); // what it means to be slow
    await post(4_000, 4_000);
    await eventually(() => expect(waiting).to.have.length(1));
    await eventually(() => expect(oldest.received()).to.include('HTTP/1.1 503 '));
    expect(second.received()).to.equal('');
  });

  it('is taken by nothing that was not sent', async () => {
    await Promise.all(Array.from({ length: 19 }, () => post(9_000, 0)));
    await post(9_000, 9_000);
    await eventually(() => expect(waiting).to.have.length(1));
  });

  it('is for a number of bodies, too: the oldest that come slowly give way', async () => {
    const [gone, oldest, second] = [await post(100, 10), await post(100, 10), await post(100, 10)];
    await Promise.all(Array.from({ length: 17 }, () => post(100, 10)));
    gone.socket.destroy();
    await delay(1_100);
    await post(100, 100);
    await post(100, 10);
    await eventually(() => expect(waiting).to.have.length(1));
    await eventually(() => expect(oldest.received()).to.include('HTTP/1.1 503 '));
    second.send('x'.repeat(90));
    await eventually(() => expect(waiting).to.have.length(2));
    expect(second.received()).to.equal('');
  });

  it('is left by bodies beyond that number once they are slow, though nobody else comes', async () => {
    const all = await Promise.all(Array.from({ length: 25 }, () => post(100, 10)));
    const refusals = () => all.filter(({ received }) => received().includes('503 ')).length;
    await eventually(() => expect(refusals()).to.equal(6));
    await delay(1_100);
    expect(refusals()).to.equal(6);
  });

  it('is not left by bodies that have just begun to come, however many there are', async () => {
    // On a slow machine they may be slow themselves, before the last of them has begun.
    await eventually(async () => {
      for (const { socket } of connections.splice(0)) socket.destroy();
      waiting.length = 0;
      const all = await Promise.all(Array.from({ length: 30 }, () => post(100, 10)));
      for (const { send } of all) send('x'.repeat(90));
      await eventually(() => expect(waiting).to.have.length(30), { deadlineMs: 500 });
    });
  });
});

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { sendJson } from './problem-response.ts';
import type { Listener } from './server.ts';
import { connectRaw, serve } from './testing.ts';

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

describe('acceptors', () => {
  const sockets: Socket[] = [];
  let listener: Listener;

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await listener.stop();
  });

  const open = async (options: Parameters<typeof serve>[1]) => {
    listener = await serve((_req, res) => sendJson(res, 200, {}), options);
  };

  /** Connects many at once; returns the turns of the event loop until all are answered. */
  async function turnsToAccept(count: number): Promise<number> {
    let answered = 0;
    for (let n = 0; n < count; n += 1) {
      const socket = connect(listener.port, '127.0.0.1');
      socket.write(get);
      socket.once('data', () => (answered += 1));
      sockets.push(socket);
    }
    let turns = 0;
    for (; answered < count; turns += 1) await nextTurn();
    return turns;
  }

  it('accept many connections in one turn of the event loop', async () => {
    await open({ acceptsPerTurn: 64 });
    expect(await turnsToAccept(200)).to.be.below(100);
    await listener.stop();
    // What they are there for: with one socket it is one connection a turn.
    await open({});
    expect(await turnsToAccept(200)).to.be.at.least(200);
  });

  it('do not share their port with another listener', async () => {
    await open({ acceptsPerTurn: 4 });
    for (const acceptsPerTurn of [1, 4]) {
      const again = serve(() => undefined, { port: listener.port, acceptsPerTurn });
      const error = await again.catch((thrown: unknown) => thrown);
      expect(error).to.have.property('code', 'EADDRINUSE');
    }
  });

  it('keep the limit of connections together', async () => {
    await open({ acceptsPerTurn: 4, maxConnections: 8 });
    const connections = await Promise.all(
      Array.from({ length: 40 }, () => connectRaw(listener.port)),
    );
    sockets.push(...connections.map(({ socket }) => socket));
    for (const { send } of connections) send(get);
    const answered = () => connections.filter((c) => c.received().startsWith('HTTP/1.1 200'));
    const closed = () => connections.filter(({ socket }) => socket.destroyed);
    await eventually(() => expect(answered().length + closed().length).to.equal(40));
    // The kernel distributes: a socket may have fewer than its share of two.
    expect(answered().length).to.be.within(4, 8);
  });

  it('are all closed by a stop, which lets a request in progress be answered', async () => {
    const waiting: ServerResponse[] = [];
    listener = await serve((_req, res) => void waiting.push(res), { acceptsPerTurn: 4 });
    const { port } = listener;
    const connection = await connectRaw(port);
    sockets.push(connection.socket);
    connection.send(get);
    await eventually(() => expect(waiting).to.have.length(1));
    const stopped = listener.stop();
    await nextTurn();
    sendJson(waiting[0]!, 200, {});
    await stopped;
    await connection.closed;
    expect(connection.received()).to.include('HTTP/1.1 200').and.include('Connection: close');
    const [error] = (await once(connect(port, '127.0.0.1'), 'error')) as [{ code: string }];
    expect(error.code).to.equal('ECONNREFUSED');
  });
});

import { eventually } from '@tributary/testkit/eventually';
import { freePort } from '@tributary/testkit/free-port';
import { expect } from 'chai';
import { createServer, type Socket } from 'node:net';
import pg from 'pg';
import { createWasSeen } from './was-seen.ts';

const event = { connectionId: 'c0nnection00000001', processorEventId: 'evt_1' };

describe('whether an event was seen', () => {
  it('is no while there is no database', async () => {
    const pool = new pg.Pool({ host: '127.0.0.1', port: await freePort() });
    expect(await createWasSeen({ pool })(event)).to.equal(false);
    await pool.end();
  });

  it('is no when the database does not answer in time, and then it is asked by few', async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
    });
    const port = await freePort();
    await new Promise<void>((listening) => silent.listen(port, '127.0.0.1', listening));
    const pool = new pg.Pool({ host: '127.0.0.1', port, max: 100 });
    const wasSeen = createWasSeen({ pool, patienceMs: 50, mostWaiting: 3 });
    const answers = await Promise.all(Array.from({ length: 10 }, () => wasSeen(event)));
    expect(answers).to.deep.equal(Array.from({ length: 10 }, () => false));
    expect(pool.totalCount).to.equal(3);
    // On a slow machine the answers are there before the server has met who asked.
    await eventually(() => expect(sockets).to.have.property('size', 3));
    for (const socket of sockets) socket.destroy();
    await pool.end();
    await new Promise((closed) => silent.close(closed));
  });
});

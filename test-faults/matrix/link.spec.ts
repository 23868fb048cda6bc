import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { type Link, startLink } from './link.ts';

describe('a link to a server', () => {
  let server: Server;
  let link: Link;
  let client: Socket;
  let answer: string;

  beforeEach(async () => {
    server = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    link = await startLink({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
    client = connect({ port: link.port, host: '127.0.0.1', noDelay: true });
    answer = '';
    client.on('data', (bytes) => (answer += bytes.toString()));
    await once(client, 'connect');
  });

  afterEach(() => {
    client.destroy();
    server.close();
  });

  const answers = (text: string) => eventually(() => expect(answer).to.equal(text), { everyMs: 5 });

  it('is as if it was not there', async () => {
    client.write('a');
    await answers('a');
    expect(link.counts()).to.deep.equal({ late: 0, held: 0 });
  });

  it('is slow in both directions, and keeps the order', async () => {
    const waits = [120, 10, 10, 10];
    link.slow(() => waits.shift() ?? 50);
    const beganAt = performance.now();
    client.write('a');
    await delay(5);
    client.write('b');
    await answers('ab');
    expect(performance.now() - beganAt).to.be.at.least(120);
    expect(link.counts().late).to.be.at.least(2);
  });

  for (const direction of ['server', 'services'] as const) {
    it(`holds what goes to ${direction} until it is whole again`, async () => {
      link.cut(direction);
      client.write('a');
      await eventually(() => expect(link.counts().held).to.equal(1), { everyMs: 5 });
      await delay(50);
      expect(answer).to.equal('');
      link.mend();
      await answers('a');
    });
  }

  it('ends at once when it is closed, also what is held', async () => {
    link.cut('services');
    client.write('a');
    await eventually(() => expect(link.counts().held).to.equal(1), { everyMs: 5 });
    link.close();
    await once(client, 'close');
    expect(answer).to.equal('');
  });

  it('ends with either end', async () => {
    client.end('last');
    await once(client, 'close');
    expect(answer).to.equal('last');
  });
});

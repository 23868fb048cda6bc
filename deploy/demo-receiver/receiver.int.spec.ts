import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import { webhookCredentials } from '../demo/demo-tenants.ts';
import { createReceiver } from './receiver.ts';

describe('the demo receiver', () => {
  const webhookKey = 'a key';
  let server: Server;
  let port: number;
  before(async () => {
    server = createReceiver({ webhookKey, file: undefined }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  after(() => server.close());

  const { username, password } = webhookCredentials(webhookKey, 't1');
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;

  it('answers 404 to a path that is no URL', async () => {
    expect(await exchange('GET // HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).to.match(
      /^HTTP\/1\.1 404 /,
    );
    expect(await ready()).to.equal(200);
  });

  it('lives through a sender that leaves in the middle of its body', async () => {
    const received = once(server, 'request');
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST /webhook/t1 HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n` +
        'Content-Length: 100\r\n\r\n{"ha',
    );
    const [req] = (await received) as [NodeJS.ReadableStream];
    const gone = once(req, 'close').catch(() => undefined);
    socket.destroy();
    await gone;
    // An unhandled rejection would end this test run.
    expect(await ready()).to.equal(200);
  });

  it('takes a webhook and lists it', async () => {
    const data = {
      rewardId: 'r1',
      productUserId: 'u1',
      rewardType: 'credits',
      reward: { amount: 5 },
    };
    const body = JSON.stringify({ version: '1.0.0', eventType: 'new-reward', eventId: 'e1', data });
    const url = `http://127.0.0.1:${port}`;
    const answer = await fetch(`${url}/webhook/t1`, {
      method: 'POST',
      headers: { authorization },
      body,
    });
    expect(await answer.json()).to.eql({ duplicate: false });
    const list = (await (await fetch(`${url}/received/t1?newest=1`)).json()) as {
      deliveries: unknown[];
    };
    expect(list.deliveries).to.have.length(1);
  });

  async function exchange(request: string): Promise<string> {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (data) => (text += data.toString()));
    socket.write(request);
    await once(socket, 'close');
    return text;
  }
});

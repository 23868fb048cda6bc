import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import type { ExchangeEnd } from '../domain/outcome.ts';
import type { Exchange } from './exchange.ts';
import {
  type Authority,
  type Certificate,
  createAuthority,
} from '@tributary/guarded-connections/testing/certificates';
import { type DnsServer, startDnsServer } from '@tributary/guarded-connections/testing/dns-server';
import { post, testExchange } from './testing/post.ts';
import { answerOk, startRawServer } from '@tributary/guarded-connections/testing/raw-server';

const host = 'hooks.example.test';

describe('a connection to an https endpoint', () => {
  let authority: Authority;
  let dns: DnsServer;
  let cleanUps: (() => Promise<unknown>)[] = [];

  before(async () => {
    authority = await createAuthority();
    dns = await startDnsServer();
    dns.answerWith(() => ({ addresses: ['127.0.0.1'] }));
  });

  afterEach(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
    cleanUps = [];
  });

  after(async () => {
    await dns.stop();
    await authority.remove();
  });

  it('is made when the certificate is for the name and from a known authority', async () => {
    const server = await serve(await authority.issue({ names: `DNS:${host}` }));
    const end = await post(client({ extraCa: authority.cert }), server.origin);
    expect(end).to.include({ end: 'answered', statusCode: 200 });
    expect(server.requests()).to.equal(1);
  });

  it('is used again', async () => {
    const server = await serve(await authority.issue({ names: `DNS:${host}` }));
    const exchange = client({ extraCa: authority.cert });
    for (let nth = 0; nth < 10; nth += 1) await post(exchange, server.origin);
    expect(server.connections()).to.be.at.most(2);
  });

  it('is made to an address that the certificate names', async () => {
    const server = await serve(await authority.issue({ names: 'IP:127.0.0.1' }));
    const origin = `https://127.0.0.1:${server.port}`;
    const end = await post(client({ extraCa: authority.cert }), origin);
    expect(end).to.include({ end: 'answered' });
  });

  const refusals: {
    what: string;
    certificate: () => Promise<Certificate>;
    known?: boolean;
    detail: RegExp;
  }[] = [
    {
      what: 'is self-signed',
      certificate: () => authority.selfSigned({ names: `DNS:${host}` }),
      detail: /self-signed/,
    },
    {
      what: 'has expired',
      certificate: () => authority.issue({ names: `DNS:${host}`, days: -1 }),
      detail: /expired/,
    },
    {
      what: 'is for another name',
      certificate: () => authority.issue({ names: 'DNS:other.example.test' }),
      detail: /not in the cert's altnames/,
    },
    {
      what: 'is for an address only',
      certificate: () => authority.issue({ names: 'IP:127.0.0.1' }),
      detail: /altnames|does not match/,
    },
    {
      what: 'is from an authority that nobody knows',
      certificate: () => authority.issue({ names: `DNS:${host}` }),
      known: false,
      detail: /certificate/,
    },
  ];
  for (const { what, certificate, known = true, detail } of refusals) {
    it(`is not made when the certificate ${what}: nothing is sent`, async () => {
      const server = await serve(await certificate());
      const end = await post(client(known ? { extraCa: authority.cert } : {}), server.origin);
      expect(end).to.include({ end: 'no-answer', result: 'tls_error' });
      expect(detailOf(end)).to.match(detail);
      expect(server.requests()).to.equal(0);
    });
  }

  it('is not made to a port that speaks plain HTTP', async () => {
    const server = await startRawServer((socket) => answerOk(socket));
    cleanUps.push(() => server.stop());
    // What such a server says to bytes that are no request.
    const talkative = await listen((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    });
    const end = await post(client(), `https://${host}:${talkative}`);
    expect(end).to.include({ end: 'no-answer', result: 'tls_error' });
    expect(server.requests).to.deep.equal([]);
  });

  it('is a reset when plain HTTP is spoken to it', async () => {
    const server = await serve(await authority.issue({ names: `DNS:${host}` }));
    const end = await post(client(), `http://${host}:${server.port}`);
    expect(end).to.include({ end: 'no-answer', result: 'reset' });
  });

  it('that comes about too late carries nothing', async () => {
    const server = await serve(await authority.issue({ names: `DNS:${host}` }));
    let letThrough: () => void = () => undefined;
    const open = new Promise<void>((resolve) => (letThrough = resolve));
    const slow = await listen((socket) => {
      socket.pause();
      void open.then(() => {
        const through = connect(server.port, '127.0.0.1');
        through.on('error', () => socket.destroy());
        socket.pipe(through).pipe(socket);
      });
    });
    const exchange = client({ extraCa: authority.cert, timeoutMs: patiently(300) });
    const end = await post(exchange, `https://${host}:${slow}`);
    expect(end).to.include({ end: 'no-answer', result: 'timeout' });
    letThrough();
    await eventually(() => expect(server.closed()).to.be.greaterThan(0));
    expect(server.requests()).to.equal(0);
  });

  function client(changes: Parameters<typeof testExchange>[0] = {}): Exchange {
    const exchange = testExchange({ dnsServers: [dns.address], ...changes });
    cleanUps.push(() => exchange.close());
    return exchange;
  }

  async function serve(certificate: Certificate) {
    let requests = 0;
    let connections = 0;
    let closed = 0;
    const sockets = new Set<Socket>();
    const server: TlsServer = createTlsServer(certificate, (socket) => {
      connections += 1;
      socket.on('error', () => undefined);
      socket.on('data', () => {
        requests += 1;
        answerOk(socket);
      });
    });
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('close', () => (closed += 1));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanUps.push(async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    });
    const { port } = server.address() as AddressInfo;
    return {
      port,
      origin: `https://${host}:${port}`,
      requests: () => requests,
      connections: () => connections,
      closed: () => closed,
    };
  }

  async function listen(onConnection: (socket: Socket) => void): Promise<number> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      onConnection(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanUps.push(async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    });
    return (server.address() as AddressInfo).port;
  }
});

function detailOf(end: ExchangeEnd): string {
  return end.end === 'answered' ? '' : (end.detail ?? '');
}

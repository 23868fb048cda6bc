import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import {
  createServer,
  request,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NginxServer, startNginx } from '@tributary/native-servers/nginx';
import { expect } from 'chai';
import { eventually } from '@tributary/testkit/eventually';
import { freePorts } from '@tributary/testkit/free-port';
import { edgeLimits } from './edge-limits.ts';
import { renderEdge } from './render-edge.ts';
import { wholeConfig } from './whole-config.ts';

const limits = edgeLimits({
  TRIBUTARY_EDGE_REQUESTS_PER_ADDRESS: '40',
  TRIBUTARY_EDGE_REQUESTS_PER_REPLICA: '60',
});

type Answer = { status: number; headers: IncomingMessage['headers']; body: string };

describe('the edge (design 1)', function () {
  this.timeout(20_000);
  let dir: string;
  let service: Server;
  let replica: Server;
  let widget: Server | undefined;
  let edge: NginxServer;
  let seen: IncomingMessage[];
  /** What the service behind the edge does with a request. */
  let answer: (req: IncomingMessage, res: ServerResponse) => unknown;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tributary-edge-'));
    [service, replica] = [await startService(), await startService()];
    widget = await startService();
    const [port = 0, nobody = 0, status = 0, counter = 0] = await freePorts(4);
    const [own, other] = [addressOf(service), addressOf(replica)];
    const http = renderEdge({
      listen: `127.0.0.1:${port}`,
      ingestApi: [own],
      legacyEvents: [`127.0.0.1:${nobody}`],
      processorEvents: [own],
      widget: [addressOf(widget)],
      portal: [own, other],
      refusalsLog: 'refusals.log',
      statusListen: `127.0.0.1:${status}`,
      counter: `127.0.0.1:${counter}`,
      limits,
    });
    edge = await startNginx({ dir, port, configText: wholeConfig(http, limits) });
  });

  beforeEach(() => {
    seen = [];
    answer = () => undefined;
  });

  after(async () => {
    await edge?.stop();
    for (const server of [service, replica, widget]) {
      server?.close();
      server?.closeAllConnections();
    }
    rmSync(dir, { recursive: true, force: true });
  });

  for (const path of [
    ...['/v2/a%2fb/%2E%2e//c/', '/v2/../token', '/referral-codes/%C3%BC%20?x=%41'],
    ...['/app/latest/chunks/a.js?v=1', '/attribution/%2e%2e/x', '/widget//session?ucc=%41'],
    ...['/processor/stripe/abc', '/processor/stripe//%2e%2E/x?y=%41'],
  ]) {
    it(`passes ${path} byte for byte`, async () => {
      await ask({ path });
      expect(seen.map(({ url }) => url)).to.deep.equal([path]);
    });
  }

  it('leads /events elsewhere than /v2, and answers for it in its form when it is away (4.4)', async () => {
    const { status, headers, body } = await ask({ path: '/events', method: 'POST' });
    expect(status).to.equal(503);
    expect(headers['content-type']).to.equal('application/json');
    expect(headers['retry-after']).to.equal('1');
    expect(JSON.parse(body)).to.have.all.keys('message');
  });

  it('writes down nothing of a request that no service answers: a query may hold a name', async () => {
    const path = '/events?email=ada.lovelace@example.com';
    expect((await ask({ path, method: 'POST' })).status).to.equal(503);
    answer = (req) => {
      req.socket.destroy();
      return 'later';
    };
    expect((await ask({ path: '/v2/x?email=ada.lovelace@example.com' })).status).to.equal(503);
    const written = readFileSync(edge.logFile, 'utf8') + refusals();
    expect(written).to.not.contain('lovelace');
  });

  it('tells the counter who answered, with what and how fast, and nothing that a caller sent', async () => {
    const [, counter = ''] = /syslog:server=127\.0\.0\.1:(\d+)/.exec(
      readFileSync(join(dir, 'nginx.conf'), 'utf8'),
    )!;
    const socket = createSocket('udp4').bind(Number(counter), '127.0.0.1');
    await once(socket, 'listening');
    const lines: string[] = [];
    socket.on('message', (line) => lines.push(line.toString('latin1')));
    try {
      const headers = { 'user-agent': 'ada.lovelace', 'x-request-id': 'ada.lovelace' };
      const paths = ['/v2/ada.lovelace?email=ada.lovelace@example.com', '/ada.lovelace', '/portal'];
      // The first line of each worker may still meet the news that nobody was there.
      await eventually(async () => {
        for (const path of paths) await ask({ path, headers });
        await speak('ada.lovelace\r\n\r\n');
        const texts = lines.map((line) => line.replace(/^<190>\w{3} [ \d]\d [\d:]{8} edge: /, ''));
        const shapes = texts.map((text) => text.replace(/ \d+\.\d{3} /, ' SECONDS '));
        expect(shapes).to.include.members([
          ...['edge 400 SECONDS ', 'edge 404 SECONDS '],
          ...['service 200 SECONDS ingest_api', 'service 200 SECONDS portal'],
        ]);
        for (const shape of shapes) expect(shape).to.match(/^[a-z]+ \d{3} SECONDS [a-z_]*$/);
      });
      expect(lines.join()).to.not.include('lovelace');
    } finally {
      socket.close();
    }
  });

  it('sends a POST once, also when its service drops the connection', async () => {
    answer = (req) => req.socket.destroy();
    const path = '/v2/events/purchase-created';
    const { status, headers, body } = await ask({ path, method: 'POST' });
    expect(status).to.equal(503);
    expect(headers['content-type']).to.equal('application/problem+json');
    expect(headers['retry-after']).to.equal('1');
    const problem = JSON.parse(body) as object;
    expect(problem).to.include({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    expect(problem).to.include({ instance: headers['x-request-id'] });
    expect(seen).to.have.length(1);
  });

  it('asks no second replica when the first one drops the connection after the body', async () => {
    answer = (req) => req.on('end', () => req.socket.destroy());
    const req = send({ path: '/api/x', method: 'POST', headers: { 'content-length': '4' } });
    const [res] = (await once(req.end('abcd'), 'response')) as [IncomingMessage];
    res.resume();
    expect(res.statusCode).to.equal(503);
    expect(seen).to.have.length(1);
  });

  it('passes headers byte for byte, each line by itself', async () => {
    const lines = ['schl\xc3\xbcssel \xff\xfe', '"quoted"', 'a,b'];
    const text = lines.map((line) => `Idempotency-Key: ${line}\r\n`).join('');
    await speak(`GET /v2/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${text}\r\n`);
    const raw = seen[0]!.rawHeaders;
    const passed = raw.filter((_, i) => raw[i - 1]?.toLowerCase() === 'idempotency-key');
    expect(passed).to.deep.equal(lines);
  });

  it('passes what the payment processor signed byte for byte, and its signature (6.2)', async () => {
    const body = Buffer.from('{"id": "evt_1",\r\n "n":1.0,\t"s":"\\u00e4\u00e4"}\n\xff', 'latin1');
    const signature = `t=1767225600,v1=${'ab'.repeat(32)},v1=${'cd'.repeat(32)},v0=x`;
    const chunks: Buffer[] = [];
    answer = (req) => req.on('data', (chunk: Buffer) => chunks.push(chunk));
    const headers = { 'content-length': String(body.length), 'stripe-signature': signature };
    const req = send({ path: '/processor/stripe/abc', method: 'POST', headers });
    const [res] = (await once(req.end(body), 'response')) as [IncomingMessage];
    res.resume();
    expect(res.statusCode).to.equal(200);
    expect(Buffer.concat(chunks).equals(body)).to.equal(true);
    expect(seen[0]?.headers['stripe-signature']).to.equal(signature);
  });

  it('leaves the methods and the headers of browsers to the widget service, and its answers as they are', async () => {
    const headers = { origin: 'https://shop.example', 'accept-encoding': 'br, gzip' };
    for (const method of ['OPTIONS', 'HEAD', 'GET', 'POST']) {
      const path = method === 'GET' ? '/app/latest/tributary-widget.js' : '/widget/session';
      const { status, headers: answered } = await ask({ path, method, headers });
      expect(status, method).to.equal(200);
      expect(seen.at(-1), method).to.include({ method, url: path });
      expect(seen.at(-1)?.headers, method).to.include(headers);
      // What a page may read is for the service to say; said twice, a browser takes neither.
      expect(answered, method).to.not.have.property('access-control-allow-origin');
    }
  });

  it('lets a page read that the widget service is away, or that a request was refused', async () => {
    const headers = { origin: 'https://shop.example' };
    for (const path of ['/widget/session', '/widget/campaign-config?ucc=a', '/app/latest/x.js']) {
      answer = (req) => req.socket.destroy();
      const away = await ask({ path, method: 'POST', headers });
      expect([away.status, codeOf(away.body)], path).to.deep.equal([503, 'SERVICE_UNAVAILABLE']);
      expect(away.headers, path).to.include({ 'access-control-allow-origin': '*' });
      expect(away.headers, path).to.include({ 'cache-control': 'no-store', 'retry-after': '1' });
      answer = () => undefined;
      const large = await ask({ path, headers: { ...headers, a: 'x'.repeat(17 * 1024) } });
      expect(large.status, path).to.equal(431);
      expect(large.headers, path).to.include({ 'access-control-allow-origin': '*' });
    }
    const elsewhere = await ask({ path: '/widgets', headers });
    expect(elsewhere.headers).to.not.have.property('access-control-allow-origin');
    answer = (req) => req.socket.destroy();
    const api = await ask({ path: '/v2/x', method: 'POST', headers });
    expect(api.status).to.equal(503);
    expect(api.headers).to.not.have.property('access-control-allow-origin');
  });

  it('asks about a method that only it knows as one that nothing serves', async () => {
    for (const method of ['FOO', 'TRACE', 'CONNECT']) {
      const text = `${method} /v2/x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`;
      const reply = await speak(text.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
      expect(reply, method).to.match(/^HTTP\/1\.1 200 /);
      expect(seen.at(-1), method).to.include({ method: 'TRACE', url: '/v2/x' });
    }
    const nowhere = await speak('TRACE /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(nowhere)
      .to.match(/^HTTP\/1\.1 404 /)
      .and.include('"code":"NOT_FOUND"');
    const away = await speak('TRACE /events HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(away)
      .to.match(/^HTTP\/1\.1 503 /)
      .and.include('{"message":');
  });

  it('passes HTTP/1.0 on without a Host of its own', async () => {
    expect(await speak('GET /v2/x HTTP/1.0\r\n\r\n')).to.match(/^HTTP\/1\.1 200 /);
  });

  it('gives a service the body as it arrives', async () => {
    const arrived = new Promise<void>((resolve) => {
      answer = (req) => req.once('data', () => resolve());
    });
    const req = send({ path: '/v2/x', method: 'POST', headers: { 'content-length': '4' } });
    req.write('ab');
    await arrived;
    req.end('cd');
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    expect(res.statusCode).to.equal(200);
    res.resume();
  });

  it('hands its root, and nothing like it, to the portal', async () => {
    for (const path of ['/', '/?from=bookmark', '/portal', '/portal/tenants/a/rewards?open=1']) {
      expect((await ask({ path })).status, path).to.equal(200);
      expect(seen.at(-1)!.url).to.equal(path);
    }
  });

  it('knows no other path', async () => {
    for (const path of [
      '//',
      '/v1/token',
      '/v2x',
      '/processors',
      '/apps',
      '/widgets',
      '/edge-problem/not-found',
    ]) {
      const { status, body } = await ask({ path });
      expect([status, codeOf(body)], path).to.deep.equal([404, 'NOT_FOUND']);
    }
    expect(seen).to.deep.equal([]);
  });

  it('reports a path that cannot be decoded as missing', async () => {
    const under = await ask({ path: '/v2/%00' });
    expect([under.status, codeOf(under.body)]).to.deep.equal([404, 'UNKNOWN_EVENT_TYPE']);
    const beside = await ask({ path: '/referral-codes/a%00b' });
    expect([beside.status, codeOf(beside.body)]).to.deep.equal([404, 'NOT_FOUND']);
  });

  it('lets 15 KiB of headers through and refuses 17 KiB with 431', async () => {
    const small = await ask({ path: '/v2/x', headers: { a: 'x'.repeat(15 * 1024) } });
    expect(small.status).to.equal(200);
    const large = await ask({ path: '/v2/x', headers: { a: 'x'.repeat(17 * 1024) } });
    expect(large.status).to.equal(431);
    expect(JSON.parse(large.body)).to.include({ status: 431, code: 'PAYLOAD_TOO_LARGE' });
  });

  it('answers a longer request line with 414', async () => {
    const { status } = await ask({ path: `/v2/${'x'.repeat(17 * 1024)}` });
    expect(status).to.equal(414);
  });

  it('answers what is not HTTP with a 400 problem', async () => {
    for (const text of ['GARBAGE\r\n\r\n', 'GET /v2/x HTTP/1.1\r\nContent-Length: x\r\n\r\n']) {
      const reply = await speak(text);
      expect(reply).to.match(/^HTTP\/1\.1 400 /);
      expect(reply).to.include('"code":"MALFORMED_JSON"');
    }
  });

  it('names every request itself, whatever a caller calls it', async () => {
    const headers = { 'x-request-id': 'order-17' };
    const answered = await ask({ path: '/v2/x', headers });
    const id = answered.headers['x-request-id'];
    expect(id).to.match(/^[0-9a-f]{32}$/);
    expect(seen[0]?.headers['x-request-id']).to.equal(id);
    const refused = await ask({ path: '/nowhere', headers });
    expect(JSON.parse(refused.body)).to.include({ instance: refused.headers['x-request-id'] });
    expect(refused.headers['x-request-id']).to.match(/^[0-9a-f]{32}$/);
    expect(refused.headers['cache-control']).to.equal('no-store');
  });

  it('refuses in the form of the legacy path what is meant for it (4.4)', async () => {
    const close = 'Host: a\r\nConnection: close\r\n';
    const refusals = {
      400: `POST /events HTTP/1.1\r\n${close}Content-Length: x\r\n\r\n`,
      404: `POST /events/%00 HTTP/1.1\r\n${close}\r\n`,
      414: `POST /events?${'x'.repeat(17_000)} HTTP/1.1\r\n${close}\r\n`,
      431: `POST /events HTTP/1.1\r\n${close}A: ${'x'.repeat(17_000)}\r\n\r\n`,
    };
    for (const [status, text] of Object.entries(refusals)) {
      const reply = await speak(text);
      expect(reply.slice(9, 12)).to.equal(status);
      expect(reply).to.include('Content-Type: application/json\r\n').and.include('{"message":');
    }
  });

  it('refuses what one address has under way beyond its limit, in both forms, and notes it', async () => {
    const waiting: ServerResponse[] = [];
    answer = (_req, res) => {
      waiting.push(res);
      return 'later';
    };
    const held = Array.from({ length: 40 }, () => ask({ path: '/v2/x', method: 'POST' }));
    await eventually(() => expect(waiting).to.have.length(40));
    const refused = await ask({ path: '/v2/x?name=Ada', method: 'POST' });
    expect(refused.status).to.equal(429);
    expect(refused.headers['retry-after']).to.equal('1');
    expect(codeOf(refused.body)).to.equal('SERVICE_UNAVAILABLE');
    const legacy = await ask({ path: '/events', method: 'POST' });
    expect([legacy.status, JSON.parse(legacy.body)]).to.have.nested.property('[1].message');
    // Another address of this machine is another caller.
    answer = () => undefined;
    const other = await ask({ path: '/v2/x', localAddress: '127.0.0.2' });
    expect(other.status).to.equal(200);
    for (const res of waiting) res.end('done');
    await Promise.all(held);
    await eventually(() => {
      const log = refusals();
      expect(log.trim().split('\n')).to.have.length(2);
      expect(log)
        .to.match(/from 127\.0\.0\.1$/m)
        .and.not.contain('Ada');
    });
  });

  it('refuses at once what is more than a replica takes, and passes on again when it has answered', async () => {
    const waiting: ServerResponse[] = [];
    answer = (_req, res) => {
      waiting.push(res);
      return 'later';
    };
    const from = (localAddress: string) => ask({ path: '/v2/x', method: 'POST', localAddress });
    const held = ['127.0.0.3', '127.0.0.4'].flatMap((address) =>
      Array.from({ length: 30 }, () => from(address)),
    );
    await eventually(() => expect(waiting).to.have.length(60));
    const refused = await from('127.0.0.5');
    expect([refused.status, codeOf(refused.body)]).to.deep.equal([503, 'SERVICE_UNAVAILABLE']);
    expect(refused.headers['retry-after']).to.equal('1');
    expect(waiting).to.have.length(60);
    // Other services are not concerned.
    answer = () => undefined;
    expect((await ask({ path: '/portal' })).status).to.equal(200);
    for (const res of waiting) res.end('done');
    await Promise.all(held);
    expect((await from('127.0.0.5')).status).to.equal(200);
  });

  function refusals(): string {
    return readFileSync(join(dir, 'refusals.log'), 'utf8');
  }

  function startService(): Promise<Server> {
    const server = createServer((req, res) => {
      seen.push(req);
      const isLater = answer(req, res) === 'later';
      req.resume();
      if (isLater) return;
      req.on('end', () => res.end('from the service'));
      if (req.method === 'GET') res.end();
    }).listen(0, '127.0.0.1');
    return once(server, 'listening').then(() => server);
  }

  function send(options: {
    path: string;
    method?: string;
    headers?: Record<string, string>;
    localAddress?: string;
  }) {
    return request({ host: '127.0.0.1', port: edge.port, agent: false, ...options });
  }

  async function ask(options: Parameters<typeof send>[0]): Promise<Answer> {
    const req = send(options).end();
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    let body = '';
    for await (const chunk of res.setEncoding('utf8')) body += chunk as string;
    return { status: res.statusCode ?? 0, headers: res.headers, body };
  }

  async function speak(text: string): Promise<string> {
    const socket = connect(edge.port, '127.0.0.1').setEncoding('utf8');
    socket.write(text, 'latin1');
    let reply = '';
    for await (const chunk of socket) reply += chunk as string;
    return reply;
  }
});

function addressOf(server: Server): string {
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function codeOf(body: string): string {
  return (JSON.parse(body) as { code: string }).code;
}

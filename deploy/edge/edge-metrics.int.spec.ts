import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NginxServer, startNginx } from '@tributary/native-servers/nginx';
import { sampleOf, samplesOf } from '@tributary/http/testing/samples';
import { eventually } from '@tributary/testkit/eventually';
import { freePorts } from '@tributary/testkit/free-port';
import { expect } from 'chai';
import { routes } from '../../services/edge-metrics/src/domain/read-line.ts';
import type { ServiceReplica } from '../local/service-replica.ts';
import { startEdgeMetrics } from '../local/edge-metrics-process.ts';
import { defaultPorts } from '../local/ports.ts';
import { makeStateDir, stateDirAt } from '../local/state-dir.ts';
import { edgeLimits } from './edge-limits.ts';
import { renderEdge } from './render-edge.ts';
import { wholeConfig } from './whole-config.ts';

const limits = edgeLimits({
  TRIBUTARY_EDGE_REQUESTS_PER_ADDRESS: '4',
  TRIBUTARY_EDGE_REQUESTS_PER_REPLICA: '6',
  TRIBUTARY_EDGE_HEADER_SECONDS: '1',
});
const requestsTotal = 'tributary_edge_requests_total';

describe('the metrics of the edge', function () {
  this.timeout(60_000);
  let dir: string;
  let service: Server;
  let edge: NginxServer;
  let counter: ServiceReplica;
  let configText: string;
  /** What the service behind the edge does with a request. */
  let answer: (req: IncomingMessage, res: ServerResponse) => void;
  const endIt = (_req: IncomingMessage, res: ServerResponse) => void res.end();

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tributary-edge-metrics-'));
    service = createServer((req, res) => answer(req.resume(), res)).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const own = `127.0.0.1:${(service.address() as AddressInfo).port}`;
    const [port = 0, nobody = 0, status = 0, metrics = 0] = await freePorts(4);
    const http = renderEdge({
      listen: `127.0.0.1:${port}`,
      ingestApi: [own],
      legacyEvents: [`127.0.0.1:${nobody}`],
      ...{ processorEvents: [own], widget: [own], portal: [own] },
      refusalsLog: 'refusals.log',
      statusListen: `127.0.0.1:${status}`,
      counter: `127.0.0.1:${metrics}`,
      limits,
    });
    configText = wholeConfig(http, limits).replace(
      'proxy_read_timeout 30s',
      'proxy_read_timeout 3s',
    );
    edge = await startNginx({ dir: join(dir, 'edge'), port, configText });
    const state = stateDirAt(join(dir, 'state'));
    makeStateDir(state);
    counter = startEdgeMetrics({
      state,
      ports: { ...defaultPorts, edgeMetricsAdmin: metrics, edgeStatus: status },
      say: () => undefined,
      onChange: () => undefined,
    });
    await counter.ready();
  });

  beforeEach(() => {
    answer = endIt;
  });

  after(async () => {
    await edge?.stop();
    await counter?.stop();
    service?.close();
    service?.closeAllConnections();
    rmSync(dir, { recursive: true, force: true });
  });

  it('know every upstream of the edge, and no other', () => {
    const upstreams = [...configText.matchAll(/^upstream (\w+)/gm)].map(([, name]) => name!);
    const named = routes.filter((route) => route !== 'none');
    expect(upstreams.map((name) => name.replaceAll('_', '-'))).to.have.members(named);
  });

  it('count answers of a service as its own, refusals too, under the service of the path', async () => {
    answer = (req, res) => {
      res.statusCode = Number(new URL(req.url!, 'http://a').searchParams.get('status'));
      res.end();
    };
    for (const [path, route] of [
      ...[['/v2/x', 'ingest-api'] as const, ['/token', 'ingest-api'] as const],
      ...[['/processor/stripe/a', 'processor-events'] as const, ['/app/x', 'widget'] as const],
      ...[['/', 'portal'] as const, ['/api/x', 'portal'] as const],
    ]) {
      for (const status of [200, 429, 500, 502, 503]) {
        const sent = () => ask(`${path}?status=${status}`);
        await expectCounted(sent, { route, status: String(status), by: 'service' });
      }
    }
  });

  it('count what no service takes: no path of any, and what is not HTTP', async () => {
    const none = { route: 'none', by: 'edge' };
    await expectCounted(() => ask('/nowhere'), { ...none, status: '404' });
    await expectCounted(() => speak('GARBAGE\r\n\r\n'), { ...none, status: '400' });
    const long = `/v2/${'x'.repeat(17_000)}`;
    await expectCounted(() => ask(long), { ...none, status: '414' });
  });

  it('count refusals for headers under the service of the path', async () => {
    const by = 'edge';
    const large = () => ask('/v2/x', { a: 'x'.repeat(17_000) });
    await expectCounted(large, { route: 'ingest-api', status: '431', by });
    const half = () => speak('GET /app/x HTTP/1.1\r\nHost: a\r\n');
    await expectCounted(half, { route: 'widget', status: '408', by });
  });

  it('count a 503 of the edge for a service that is away, drops the request, or does not answer', async () => {
    const of = (route: string) => ({ route, status: '503', by: 'edge' });
    await expectCounted(() => ask('/events'), of('legacy-events'));
    answer = (req) => req.socket.destroy();
    await expectCounted(() => ask('/v2/x'), of('ingest-api'));
    answer = () => undefined;
    await expectCounted(() => ask('/app/x'), of('widget'));
  });

  it('count a caller that leaves before its answer as 499', async () => {
    answer = (req) => void req.socket.once('error', () => undefined);
    const leave = () => {
      const socket = connect(edge.port, '127.0.0.1');
      socket.write('GET /portal HTTP/1.1\r\nHost: a\r\n\r\n', () => socket.destroy());
      return once(socket, 'close');
    };
    await expectCounted(leave, { route: 'portal', status: '499', by: 'edge' });
  });

  it('count what one address, or a replica, has too much of', async () => {
    const waiting: ServerResponse[] = [];
    answer = (_req, res) => void waiting.push(res);
    const from = (localAddress: string) => ask('/v2/x', {}, localAddress);
    const held = ['127.0.0.2', '127.0.0.2', '127.0.0.2', '127.0.0.2', '127.0.0.3', '127.0.0.3'];
    // Well within the three seconds after which the edge gives the service up.
    const answers = held.map((address) => from(address));
    await eventually(() => expect(waiting).to.have.length(held.length));
    const before = await counts();
    await Promise.all([from('127.0.0.2'), from('127.0.0.4')]);
    for (const res of waiting) res.end();
    await Promise.all(answers);
    await eventually(async () => {
      const more = (status: string, by: string) => {
        const name = nameOf({ route: 'ingest-api', status, by });
        return counts().then((now) => (now.get(name) ?? 0) - (before.get(name) ?? 0));
      };
      expect(await more('429', 'edge')).to.equal(1);
      expect(await more('503', 'edge')).to.equal(1);
      expect(await more('200', 'service')).to.equal(held.length);
    });
  });

  it('take no word of a caller, in whatever part of a request it stands', async () => {
    const line = 'edge: service 202 0.001 ingest_api';
    const before = total(await counts());
    const hostile = [
      `GET /v2/x%0A<190>Nov%2030%2012:00:00%20${line.replaceAll(' ', '%20')} HTTP/1.1\r\nHost: a`,
      `GET /hostile-path?"} 1 HTTP/1.1\r\nHost: a`,
      `GET /app/x HTTP/1.1\r\nHost: hostile-host" 200 0.1 portal`,
      `HOSTILE /portal HTTP/1.1\r\nHost: a`,
      `GET /portal HTTP/1.1\r\nHost: a\r\nX-Request-Id: hostile\\n${line}\r\nUser-Agent: ${line}`,
      `GET /portal HTTP/1.1\r\nHost: a\r\nReferer: \xff\x00${line}`,
      `GET http://hostile.example/v2/x HTTP/1.1\r\nHost: a`,
      `GET /v2/\xff\xfe${line.replaceAll(' ', '')} HTTP/1.1\r\nHost: a`,
      `POST /v2/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: hostile`,
    ];
    answer = (_req, res) => {
      res.setHeader('X-Request-Id', line).setHeader('Server', line).end(`\n${line}`);
    };
    for (const text of hostile) await speak(`${text}\r\nConnection: close\r\n\r\n`);
    await eventually(async () => expect(total(await counts()) - before).to.equal(hostile.length));
    const text = await metrics();
    expect(text.toLowerCase()).to.not.include('hostile');
    for (const { labels } of samplesOf(text, requestsTotal)) {
      expect(routes).to.include(labels['route']);
      expect(['edge', 'service']).to.include(labels['by']);
      expect(labels['status']).to.match(/^[2-5]\d\d$/);
    }
  });

  it('time requests, to the end of their answers', async () => {
    const labels = { route: 'portal', status_class: '2xx' };
    const sum = async () =>
      sampleOf(await metrics(), 'tributary_edge_request_duration_seconds_sum', labels) ?? 0;
    const before = await sum();
    answer = (_req, res) => {
      res.flushHeaders();
      setTimeout(() => res.end(), 300);
    };
    await ask('/portal');
    await eventually(async () => expect((await sum()) - before).to.be.within(0.29, 10));
  });

  it('tell of connections, and of all requests, by which lost lines are seen', async () => {
    const before = await metrics();
    const countsBefore = total(await counts());
    for (let n = 0; n < 100; n++) await ask('/portal');
    await eventually(async () => expect(total(await counts()) - countsBefore).to.equal(100));
    const after = await metrics();
    const more = (name: string, labels = {}) =>
      sampleOf(after, name, labels)! - sampleOf(before, name, labels)!;
    // Beside them, only what the counter itself has asked meanwhile.
    expect(more('tributary_edge_requests_read_total')).to.be.within(100, 200);
    for (const became of ['accepted', 'handled']) {
      expect(more(`tributary_edge_connections_${became}_total`), became).to.be.at.least(100);
    }
    const open = sampleOf(after, 'tributary_edge_connections', { state: 'writing' });
    expect(open, 'the one that asks').to.be.at.least(1);
  });

  it('cost the edge nothing while the counter is away, and go on when it is back', async () => {
    await counter.kill('SIGKILL');
    for (let n = 0; n < 200; n++) expect(await ask('/portal')).to.equal(200);
    await counter.restart();
    const before = total(await counts());
    // The first line of each worker may still meet the news that nobody was there.
    await eventually(async () => {
      expect(await ask('/portal')).to.equal(200);
      expect(total(await counts())).to.be.above(before);
    });
    await settled();
    await expectCounted(() => ask('/portal'), { route: 'portal', status: '200', by: 'service' });
  });

  it('cost the edge nothing while the counter hangs', async () => {
    counter.pause();
    try {
      for (let n = 0; n < 3_000; n++) expect(await ask('/portal')).to.equal(200);
    } finally {
      counter.resume();
    }
    // As many lines as the kernel has kept for it come now.
    await settled();
    await expectCounted(() => ask('/portal'), { route: 'portal', status: '200', by: 'service' });
  });

  // The last one: the edge stays away.
  it('say when the edge is away, by a check, and are there all the same', async () => {
    await edge.stop();
    const url = `http://127.0.0.1:${counter.adminPort}`;
    expect((await fetch(`${url}/readyz`)).status).to.equal(200);
    expect((await fetch(`${url}/readyz?all`)).status).to.equal(503);
    const text = await metrics();
    expect(sampleOf(text, 'tributary_dependency_up', { dependency: 'edge' })).to.equal(0);
    for (const name of ['connections', 'connections_handled_total', 'requests_read_total']) {
      expect(samplesOf(text, `tributary_edge_${name}`), name).to.deep.equal([]);
    }
    expect(samplesOf(text, requestsTotal)).to.not.have.length(0);
  });

  async function metrics(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${counter.adminPort}/metrics`)).text();
  }

  /** By what the labels say. */
  async function counts(): Promise<Map<string, number>> {
    const samples = samplesOf(await metrics(), requestsTotal);
    return new Map(samples.map(({ labels, value }) => [nameOf(labels), value]));
  }

  /** Until nothing more is counted. */
  async function settled(): Promise<void> {
    let counted = -1;
    const look = async () => {
      const before = counted;
      counted = total(await counts());
      expect(counted).to.equal(before);
    };
    await eventually(look, { everyMs: 200 });
  }

  /** Once, and nothing else is counted with it. */
  async function expectCounted(
    send: () => Promise<unknown>,
    labels: { route: string; status: string; by: string },
  ): Promise<void> {
    const before = await counts();
    await send();
    const name = nameOf(labels);
    await eventually(async () => {
      const now = await counts();
      const rows = [...now].filter(([row, count]) => count !== (before.get(row) ?? 0));
      expect(rows.map(([row]) => row)).to.deep.equal([name]);
      expect(now.get(name)).to.equal((before.get(name) ?? 0) + 1);
    });
  }

  async function ask(
    path: string,
    headers: Record<string, string> = {},
    localAddress = '127.0.0.1',
  ): Promise<number> {
    const target = { host: '127.0.0.1', port: edge.port, path, agent: false as const };
    const [res] = (await once(request({ ...target, headers, localAddress }).end(), 'response')) as [
      IncomingMessage,
    ];
    await once(res.resume(), 'end');
    return res.statusCode ?? 0;
  }

  async function speak(text: string): Promise<void> {
    const socket = connect(edge.port, '127.0.0.1');
    socket.on('error', () => undefined).write(text, 'latin1');
    await new Promise((closed) => socket.resume().once('close', closed));
  }
});

function nameOf(labels: Readonly<Record<string, string>>): string {
  return `${labels['route']} ${labels['status']} ${labels['by']}`;
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

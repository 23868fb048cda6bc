import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { type NginxServer, startNginx } from '@tributary/native-servers/nginx';
import { freePorts } from '@tributary/testkit/free-port';
import { expect } from 'chai';
import { readManifests } from './manifests.ts';
import { snapshotFile } from './render-chart.ts';

// The edge's configuration as the chart renders it, run by nginx. What the edge promises otherwise
// is tested in deploy/edge.

describe('the edge of the chart', function () {
  this.timeout(30_000);
  let service: Server;
  let connections: Set<unknown>;
  let dir: string;
  let edge: NginxServer;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tributary-chart-edge-'));
    connections = new Set();
    service = createServer((req, res) => {
      connections.add(req.socket);
      res.end(JSON.stringify({ path: req.url, from: req.headers['x-forwarded-for'] }));
    });
    await new Promise<void>((listening) => service.listen(0, '127.0.0.1', listening));
  });
  afterEach(() => edge.stop());
  after(() => {
    service.close();
    service.closeAllConnections();
    rmSync(dir, { recursive: true, force: true });
  });

  /** In front of the test's own service. */
  async function start(values: string, trusted = ''): Promise<void> {
    const [port = 0, status = 0, counter = 0] = await freePorts(3);
    const upstream = `127.0.0.1:${(service.address() as AddressInfo).port}`;
    const configText = configOf(values)
      .replace('listen 8080 ', `listen 127.0.0.1:${port} `)
      .replace('listen 127.0.0.1:8081;', `listen 127.0.0.1:${status};`)
      .replace('server=127.0.0.1:8210,', `server=127.0.0.1:${counter},`)
      .replaceAll(/server tributary-[\w-]+:\d+/g, `server ${upstream}`)
      .replaceAll(' /tmp/', ` ${dir}/`)
      .replace('/dev/stdout', `${dir}/refusals.log`)
      .replace('set_real_ip_from 10.0.0.0/8', `set_real_ip_from ${trusted}`);
    edge = await startNginx({ dir, port, configText });
  }

  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    // Not a URL, which would be normalized.
    const { hostname, port } = new URL(edge.url);
    const sent = request({ hostname, port, path, agent, headers }).end();
    const [res] = (await once(sent, 'response')) as [IncomingMessage];
    return (await json(res)) as { path: string; from: string };
  };

  it('passes paths byte for byte, and the address of the caller', async () => {
    await start('minimal');
    const path = '/v2/a%2fb/%2E%2e//c?x=%41';
    const from = { 'x-forwarded-for': '198.51.100.7' };
    expect(await ask(path, from)).to.deep.equal({ path, from: '127.0.0.1' });
  });

  it('believes proxies that are trusted, and nobody else', async () => {
    const from = { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' };
    await start('full', '127.0.0.0/8');
    expect(await ask('/v2/x', from)).to.include({ from: '198.51.100.7' });
    await edge.stop();
    await start('full', '10.0.0.0/8');
    expect(await ask('/v2/x', from)).to.include({ from: '127.0.0.1' });
  });

  it('opens connections to ingest-api anew, so that a new replica gets some', async () => {
    await start('minimal');
    connections.clear();
    for (let n = 0; n < 1_100; n++) await ask('/v2/x');
    expect(connections.size).to.be.within(3, 10);
  });
});

function configOf(values: string): string {
  const found = readManifests(readFileSync(snapshotFile(values), 'utf8')).find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'tributary-edge',
  );
  const text = found?.data?.['nginx.conf'];
  if (text === undefined) throw new Error(`${values} has no configuration of the edge`);
  return text;
}

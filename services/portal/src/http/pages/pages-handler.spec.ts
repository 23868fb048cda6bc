import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import express from 'express';
import { loadPages } from './load-pages.ts';
import { createPagesHandler } from './pages-handler.ts';

const manifest = {
  'src/main.tsx': { file: 'assets/main-1.js', css: ['assets/main-2.css'], imports: ['_shared.js'] },
  'src/scheme.ts': { file: 'assets/scheme-3.js' },
  'src/widget-preview.ts': { file: 'assets/preview-5.js' },
  '_shared.js': { file: 'assets/shared-4.js' },
};

describe('the pages, as they are served', () => {
  let dir: string;
  let server: Server;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tributary-pages-'));
    await mkdir(join(dir, 'assets'));
    await writeFile(join(dir, 'manifest.json'), JSON.stringify(manifest));
    for (const name of ['main-1.js', 'main-2.css', 'scheme-3.js', 'shared-4.js', 'preview-5.js']) {
      await writeFile(join(dir, 'assets', name), `/* ${name} */`);
    }
    const pages = await loadPages(dir);
    const app = express().disable('x-powered-by').use(createPagesHandler(pages!));
    app.use((_req, res) => void res.status(404).end('elsewhere'));
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(async () => {
    server.close();
    await rm(dir, { recursive: true, force: true });
  });

  it('lead from / to themselves', async () => {
    const answer = await ask('/');
    expect([answer.status, answer.headers.location]).to.deep.equal([302, '/portal']);
  });

  it('are one document at every address, each time with a nonce of its own', async () => {
    const nonces = new Set<string>();
    for (const path of ['/portal', '/portal/', '/portal/tenants/a/rewards?open=1', '/portal/x.y']) {
      const { status, headers, body } = await ask(path);
      expect(status, path).to.equal(200);
      const policy = String(headers['content-security-policy']);
      const [, nonce = ''] = /style-src 'self' 'nonce-([^']+)'/.exec(policy) ?? [];
      expect(body.toString()).to.include(`<meta property="csp-nonce" nonce="${nonce}">`);
      expect(policy).not.to.match(/unsafe|\*|https?:/);
      expect(policy).to.include("default-src 'none'").and.include("frame-ancestors 'none'");
      expect(headers['cache-control']).to.equal('no-store');
      nonces.add(nonce);
    }
    expect(nonces.size).to.equal(4);
  });

  it('have a preview of the widget, in a frame without an origin that asks nobody', async () => {
    const { status, headers, body } = await ask('/portal/widget-preview');
    expect(status).to.equal(200);
    expect(body.toString()).to.include('src="/portal/assets/preview-5.js"');
    expect(headers['content-security-policy']).to.equal(
      "default-src 'none'; script-src 'self'; sandbox allow-scripts; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    );
  });

  it('name their files, which may be kept for ever and come compressed', async () => {
    const { body } = await ask('/portal');
    const named = [...body.toString().matchAll(/"(\/portal\/assets\/[^"]+)"/g)].map(([, p]) => p!);
    expect(named).to.have.members(
      ['scheme-3.js', 'main-2.css', 'shared-4.js', 'main-1.js'].map((n) => `/portal/assets/${n}`),
    );
    for (const path of named) {
      const plain = await ask(path);
      expect(plain.headers['cache-control']).to.include('immutable');
      const packed = await ask(path, { 'accept-encoding': 'gzip' });
      expect(packed.headers['content-encoding']).to.equal('gzip');
      expect(gunzipSync(packed.body).equals(plain.body)).to.equal(true);
      const again = await ask(path, { 'if-none-match': plain.headers.etag! });
      expect([again.status, again.body.length]).to.deep.equal([304, 0]);
    }
  });

  it('have no document in place of a file that is gone', async () => {
    for (const path of ['/portal/assets/main-0.js', '/portals', '/elsewhere']) {
      expect((await ask(path)).body.toString(), path).to.equal('elsewhere');
    }
  });

  it('are read, and nothing else is done to them', async () => {
    const answer = await ask('/portal', {}, 'POST');
    expect([answer.status, answer.headers.allow]).to.deep.equal([405, 'GET, HEAD']);
    const head = await ask('/portal', {}, 'HEAD');
    expect([head.status, head.body.length]).to.deep.equal([200, 0]);
  });

  it('are not there where nobody has built them', async () => {
    expect(await loadPages(join(dir, 'nowhere'))).to.equal(undefined);
  });

  async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
    const { port } = server.address() as AddressInfo;
    const req = request({ host: '127.0.0.1', port, path, method, headers, agent: false }).end();
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of res) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    return { status: res.statusCode ?? 0, headers: res.headers, body };
  }
});

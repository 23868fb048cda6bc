import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { problemCatalogue } from '@tributary/contracts/problem';
import { expect } from 'chai';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

const pages = [
  '/docs',
  '/docs/integration',
  '/docs/webhooks',
  '/docs/stripe',
  '/docs/widget',
  '/docs/attribution-script',
  '/docs/browser-frameworks',
  '/docs/campaigns',
  '/docs/replay',
  '/docs/erasure',
  '/docs/api',
  '/docs/errors',
  '/docs/topics',
  '/docs/admin-api',
  '/docs/admin-reference',
  '/docs/events',
  '/docs/runbooks',
  '/docs/runbooks/partition-stopped',
  '/docs/runbooks/postgres-restored',
  '/docs/runbooks/fold-fixed',
  '/docs/runbooks/move',
];

describe('portal: the public documentation', () => {
  let portal: TestPortal;
  before(async () => {
    portal = await startTestPortal();
  });
  after(() => portal.stop());

  for (const page of pages) {
    it(`serves ${page} to anybody, with and without a slash at the end`, async () => {
      const [plain, withSlash] = [await get(page), await get(`${page}/`)];
      expect(plain.status).to.equal(200);
      expect(plain.headers['content-type']).to.equal('text/html; charset=utf-8');
      expect(plain.text).to.match(/^<!doctype html>\n[^]*<title>[^]*Tributary[^]*<\/html>\n$/);
      expect(withSlash.text).to.equal(plain.text);
    });

    it(`lets ${page} run and load nothing from elsewhere`, async () => {
      const { headers, text } = await get(page);
      const policy = String(headers['content-security-policy']);
      expect(policy).to.match(/^default-src 'none'; /);
      expect(policy).to.match(/frame-ancestors 'none'/);
      expect(policy).not.to.match(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/);
      expect(headers['x-content-type-options']).to.equal('nosniff');
      expect(text).not.to.match(/<script(?![^>]* src="\/docs\/assets\/)| on[a-z]+="| style="/);
      expect(text).not.to.match(/(?:src|data-index|<link[^>]* href)="(?!\/docs\/)/);
    });
  }

  it('leads from every link to something that is there, anchors included', async () => {
    let followed = 0;
    for (const page of pages) {
      const { text } = await get(page);
      for (const [, href] of text.matchAll(/ (?:href|src|spec-url|data-index)="([^"]+)"/g)) {
        if (href!.startsWith('https://')) continue;
        const target = new URL(href!, `http://docs${page}`);
        const found = await get(target.pathname);
        expect(found.status, `${page} → ${href}`).to.equal(200);
        const anchor = decodeURIComponent(target.hash.slice(1));
        if (anchor !== '') expect(found.text, `${page} → ${href}`).to.include(`id="${anchor}"`);
        followed += 1;
      }
    }
    expect(followed).to.be.above(50);
  });

  it('explains the URN of every problem at an anchor of its code (issue 4, item 6)', async () => {
    const { text } = await get('/docs/errors');
    for (const [code, { type }] of Object.entries(problemCatalogue)) {
      const entry = text.split('<article ').find((part) => part.includes(`id="${code}"`)) ?? '';
      expect(entry, code).to.include(type).and.to.include('What to do');
    }
  });

  for (const name of ['openapi.json', 'admin-openapi.json', 'asyncapi.json']) {
    it(`serves ${name} as it is in docs/api`, async () => {
      const { headers, text } = await get(`/docs/${name}`);
      expect(headers['content-type']).to.equal('application/json; charset=utf-8');
      const file = new URL(`../../../../docs/api/${name}`, import.meta.url);
      expect(text).to.equal(await readFile(file, 'utf8'));
    });
  }

  for (const name of ['express.mjs', 'node.mjs', 'receiver.py', 'receiver.go', 'receiver.php']) {
    it(`serves the receiver ${name} as text to be read`, async () => {
      const { headers, text } = await get(`/docs/receivers/${name}`);
      expect(headers).to.include({
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
      });
      const file = new URL(`../../../../docs/receivers/${name}`, import.meta.url);
      expect(text).to.equal(await readFile(file, 'utf8'));
    });
  }

  it('serves the images that pages show', async () => {
    const { headers } = await send('HEAD', '/docs/images/widget-phone-light.png');
    expect(headers).to.include({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
    });
    expect((await get('/docs/images/../../package.png')).status).to.equal(404);
  });

  it('lets what names its content be kept for ever, and the rest be asked about', async () => {
    const { text, headers } = await get('/docs/api');
    expect(headers['cache-control']).to.equal('no-cache');
    const assets = [...text.matchAll(/"(\/docs\/assets\/[^"]+)"/g)].map(([, path]) => path!);
    expect(assets).to.have.length(5);
    for (const path of assets) {
      const asset = await get(path);
      expect(asset.headers['cache-control'], path).to.equal('public, max-age=31536000, immutable');
    }
  });

  it('answers 304 to who has it already', async () => {
    const { headers } = await get('/docs/openapi.json');
    const again = await get('/docs/openapi.json', { 'if-none-match': String(headers.etag) });
    expect([again.status, again.text]).to.deep.equal([304, '']);
    const other = await get('/docs/openapi.json', { 'if-none-match': '"other"' });
    expect(other.status).to.equal(200);
  });

  it('compresses for who takes it, and for nobody else', async () => {
    const plain = await get('/docs/openapi.json');
    const zipped = await get('/docs/openapi.json', { 'accept-encoding': 'br, gzip' });
    expect(plain.headers['content-encoding']).to.equal(undefined);
    expect(zipped.headers['content-encoding']).to.equal('gzip');
    expect(zipped.headers.vary).to.equal('Accept-Encoding');
    expect(zipped.text.length).to.be.below(plain.text.length / 4);
    const refused = await get('/docs/openapi.json', { 'accept-encoding': 'gzip;q=0' });
    expect(refused.text).to.equal(plain.text);
  });

  it('answers HEAD like GET, without the body', async () => {
    const whole = await get('/docs/errors');
    const head = await send('HEAD', '/docs/errors');
    expect([head.status, head.text]).to.deep.equal([200, '']);
    expect(head.headers['content-length']).to.equal(whole.headers['content-length']);
    expect(head.headers.etag).to.equal(whole.headers.etag);
  });

  it('answers 405 with what is allowed to another method', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, headers, text } = await send(method, '/docs/api');
      expect([status, headers.allow], method).to.deep.equal([405, 'GET, HEAD']);
      expect(JSON.parse(text)).to.include({ code: 'NOT_FOUND' });
    }
  });

  it('answers a problem 404 to anything else below /docs, and climbs nowhere', async () => {
    for (const path of [
      '/docs/nothing',
      '/docs/assets',
      '/docs/assets/',
      '/docs/assets/docs.css',
      '/docs//api',
      '/docs/%61pi',
      '/docs/API',
      '/docs/errors.md',
      '/docs/errors/../errors',
      '/docs/../package.json',
      '/docs/..%2f..%2fpackage.json',
      '/docs/%2e%2e/%2e%2e/package.json',
      '/docs/openapi.json/',
      '/docs/constructor',
      '/docs/%00',
    ]) {
      const { status, headers, text } = await get(path);
      expect(status, path).to.equal(404);
      expect(headers['content-type']).to.equal('application/problem+json');
      expect(JSON.parse(text)).to.include({ code: 'NOT_FOUND' });
    }
  });

  const get = (path: string, headers: Record<string, string> = {}) => send('GET', path, headers);

  /** Without tidying up the path, and without a token. */
  async function send(method: string, path: string, headers: Record<string, string> = {}) {
    const { hostname, port } = new URL(portal.baseUrl);
    const req = request({ hostname, port, method, path, headers, agent: false }).end();
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of res.setEncoding('latin1')) text += chunk as string;
    const bytes = Buffer.from(text, 'latin1');
    return { status: res.statusCode, headers: res.headers, text: bytes.toString('utf8') };
  }
});

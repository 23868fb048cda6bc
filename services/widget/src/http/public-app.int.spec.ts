import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { notAuthorizedText } from '@tributary/contracts/public/widget-session';
import { createDatabase, queryOnce, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { runningCampaign } from '@tributary/contracts/testing/running-campaign';
import { codeOf, disabled, onLog, personOf } from '../testing/log-records.ts';
import {
  boot,
  catalogCommon,
  createWidgetFixture,
  scripts,
  secretOf,
  settingsRecord,
  type WidgetFixture,
  type WidgetProcess,
} from '../testing/widget-fixture.ts';

describe('widget: routes (interface 2.13, 4.7, 5)', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let fixture: WidgetFixture;
  let widget: WidgetProcess;

  before(async () => {
    const servers = await getServers();
    database = await createDatabase();
    fixture = await createWidgetFixture({ ...servers, postgresUrl: database.url });
    widget = await fixture.start();
  });

  after(async () => {
    await widget?.stop();
    await fixture?.stop();
    await database?.drop();
  });

  const deadline = { deadlineMs: 30_000 };
  const page = 'https://app.acme.example';

  /** Sends the path as it is, and takes the body as it comes; `fetch` would do neither. */
  async function raw(path: string, headers: Record<string, string> = {}, method = 'GET') {
    const { hostname, port } = new URL(widget.url);
    const req = request({ hostname, port, method, path, headers, agent: false }).end();
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of res) chunks.push(chunk as Buffer);
    return { status: res.statusCode, headers: res.headers, bytes: Buffer.concat(chunks) };
  }

  describe('scripts', () => {
    const entry = '/app/latest/tributary-widget.js';

    it('are served to every page of every origin', async () => {
      for (const [name, text] of Object.entries(scripts)) {
        const { status, headers, bytes } = await raw(`/${name}`, { origin: page });
        expect(status, name).to.equal(200);
        expect(bytes.toString(), name).to.equal(text);
        expect(headers, name).to.include({
          'content-type': 'text/javascript; charset=utf-8',
          'content-length': String(Buffer.byteLength(text)),
          'access-control-allow-origin': '*',
          'cross-origin-resource-policy': 'cross-origin',
          'x-content-type-options': 'nosniff',
          'timing-allow-origin': '*',
          vary: 'Accept-Encoding',
        });
      }
    });

    it('are kept for minutes by their name, for ever where the name has a hash', async () => {
      const briefly = 'public, max-age=300, stale-while-revalidate=86400';
      for (const name of Object.keys(scripts)) {
        const { headers } = await raw(`/${name}`);
        const forEver = 'public, max-age=31536000, immutable';
        const expected = name.includes('/chunks/') ? forEver : briefly;
        expect(headers['cache-control'], name).to.equal(expected);
      }
    });

    it('are sent compressed to who takes that', async () => {
      const text = scripts['app/latest/tributary-widget.js'];
      const open = { br: brotliDecompressSync, gzip: gunzipSync };
      for (const encoding of ['br', 'gzip'] as const) {
        const { headers, bytes } = await raw(entry, { 'accept-encoding': encoding });
        expect(headers['content-encoding']).to.equal(encoding);
        expect(bytes.length).to.be.below(text.length / 2);
        expect(open[encoding](bytes).toString()).to.equal(text);
      }
      expect((await raw(entry)).headers).to.not.have.property('content-encoding');
    });

    it('are not sent again to who has them', async () => {
      const tags = new Set<string>();
      for (const encoding of ['br', 'gzip', 'identity']) {
        const accepted = { 'accept-encoding': encoding };
        const etag = (await raw(entry, accepted)).headers.etag!;
        expect(etag).to.match(/^"[^"]+"$/);
        tags.add(etag);
        for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
          const again = await raw(entry, { ...accepted, 'if-none-match': known });
          expect([again.status, again.bytes.length, again.headers.etag]).to.eql([304, 0, etag]);
          expect(again.headers).to.include.keys('cache-control', 'vary');
          expect(again.headers).to.include({ 'access-control-allow-origin': '*' });
        }
        const other = await raw(entry, { ...accepted, 'if-none-match': '"other"' });
        expect(other.status).to.equal(200);
      }
      expect(tags).to.have.property('size', 3);
    });

    it('are described to HEAD', async () => {
      const [get, head] = [await raw(entry), await raw(entry, {}, 'HEAD')];
      expect([head.status, head.bytes.length]).to.eql([200, 0]);
      const { date: _, connection: _c, 'x-request-id': _i, ...described } = get.headers;
      expect(head.headers).to.deep.include(described);
    });

    it('are denied without /latest/ directly behind their place (4.7 rule 1)', async () => {
      const denied = ['/app', '/app/', '/attribution', '/attribution/v1/tributary-attribution.js'];
      denied.push('/app/tributary-widget.js', '/app/latest', '/app/v1/latest/tributary-widget.js');
      denied.push('/app/%6Catest/tributary-widget.js', '/app/LATEST/x.js', '/app//latest/x.js');
      for (const path of denied) {
        for (const method of ['GET', 'POST']) {
          const { status, bytes, headers } = await raw(path, {}, method);
          expect(status, path).to.equal(403);
          expect(JSON.parse(bytes.toString())).to.include({ code: 'FORBIDDEN' });
          expect(headers['access-control-allow-origin']).to.equal('*');
        }
      }
    });

    it('that do not exist are a 404 which nobody keeps', async () => {
      const missing = ['/app/latest/', '/app/latest/none.js', '/attribution/latest/%00'];
      missing.push('/app/latest/../latest/tributary-widget.js', '/app/latest/build.json');
      for (const path of missing) {
        const { status, headers } = await raw(path);
        expect(status, path).to.equal(404);
        expect(headers['cache-control']).to.equal('no-store');
      }
    });

    it('are only read', async () => {
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const { status, headers } = await raw(entry, {}, method);
        expect([status, headers.allow], method).to.eql([405, 'GET, HEAD']);
      }
    });
  });

  it('has nothing anywhere else', async () => {
    for (const path of ['/', '/application', '/widget', '/widget/session/', '/token', '/healthz']) {
      const { status, bytes } = await raw(path);
      expect(status, path).to.equal(404);
      expect(JSON.parse(bytes.toString())).to.include({ code: 'NOT_FOUND' });
    }
  });

  it('does not start without its scripts', async () => {
    const started = fixture.start({ assetsDir: '/nowhere' }).catch((error: Error) => error.message);
    expect(await started).to.contain('services/widget/build-assets.ts');
  });

  describe('a session', () => {
    it('is refused in the same words whatever is wrong with its token (5 rule 2)', async () => {
      const claims = { productId: 'product-a', productUserId: 'u', iat: 1 };
      const tokens = [
        'x',
        jwt.sign(claims, secretOf('a'), { algorithm: 'HS256' }),
        jwt.sign(claims, secretOf('b'), { algorithm: 'HS512' }),
        jwt.sign({ ...claims, name: 'Ada' }, secretOf('a'), { algorithm: 'HS512' }),
        jwt.sign({ ...claims, productId: 'product-x' }, secretOf('a'), { algorithm: 'HS512' }),
      ];
      const answers = await Promise.all(
        tokens.map((token) => widget.session({ token, productUserDetails: {} }, { origin: page })),
      );
      for (const { status, headers, body } of answers) {
        expect(status).to.equal(401);
        const { instance: _, ...problem } = body as unknown as Record<string, unknown>;
        expect(problem).to.eql({
          type: 'urn:tributary:problem:unauthorized',
          title: 'Valid credentials are required',
          status: 401,
          detail: notAuthorizedText,
          code: 'UNAUTHORIZED',
        });
        expect(headers.get('access-control-allow-origin')).to.equal(page);
      }
      const metrics = await (await fetch(`${widget.adminUrl}/metrics`)).text();
      for (const fault of ['form', 'algorithm', 'signature', 'claims', 'product']) {
        expect(metrics).to.match(
          new RegExp(`tributary_widget_token_faults_total{.*fault="${fault}".*} 1`),
        );
      }
    });

    it('is refused by the precedence of design 8, each time for the page to read', async () => {
      const json = { 'content-type': 'application/json' };
      const huge = JSON.stringify(boot('u', { productUserDetails: { x: 'x'.repeat(16_384) } }));
      const good = boot('u');
      const cases: [number, string, RequestInit][] = [
        [405, 'NOT_FOUND', { method: 'GET' }],
        [405, 'NOT_FOUND', { method: 'PUT', body: huge }],
        [415, 'MALFORMED_JSON', { method: 'POST', body: huge }],
        [413, 'PAYLOAD_TOO_LARGE', { method: 'POST', headers: json, body: huge }],
        [400, 'MALFORMED_JSON', { method: 'POST', headers: json, body: '{' }],
        [400, 'MALFORMED_JSON', { method: 'POST', headers: json, body: '{"token":1,"token":1}' }],
        [422, 'VALIDATION_ERROR', { method: 'POST', headers: json, body: '{}' }],
        [422, 'VALIDATION_ERROR', { method: 'POST', headers: json, body: '[]' }],
        ...[
          { ...good, more: 1 },
          { ...good, token: '' },
          { ...good, productUserDetails: { firstName: 1 } },
          { ...good, productUserDetails: { phone: 'x' } },
          { ...good, productUserDetails: { email: `${'x'.repeat(321)}` } },
          { ...good, click: { ucc: 'x', capturedAt: 'yesterday' } },
        ].map((body): [number, string, RequestInit] => [
          422,
          'VALIDATION_ERROR',
          { method: 'POST', headers: json, body: JSON.stringify(body) },
        ]),
      ];
      for (const [status, code, { headers = {}, ...init }] of cases) {
        const answer = await widget.ask<Record<string, unknown>>('/widget/session', {
          ...init,
          headers: { ...(headers as Record<string, string>), origin: page },
        });
        const about = `${init.method} ${JSON.stringify(init.body ?? '').slice(0, 80)}`;
        expect([answer.status, answer.body['code']], about).to.eql([status, code]);
        expect(answer.headers.get('access-control-allow-origin'), about).to.equal(page);
        expect(answer.headers.get('vary'), about).to.equal('Origin');
        if (status === 405) expect(answer.headers.get('allow')).to.equal('POST, OPTIONS');
        if (status === 413) expect(answer.body['detail']).to.contain('16384');
      }
    });

    it('may be asked for by a page of any origin, without credentials', async () => {
      for (const origin of [page, 'http://localhost:3000', 'null', 'app://local']) {
        const asked = { origin, 'access-control-request-method': 'POST' };
        const preflight = await raw('/widget/session', asked, 'OPTIONS');
        expect([preflight.status, preflight.bytes.length]).to.eql([204, 0]);
        expect(preflight.headers).to.include({
          'access-control-allow-origin': origin,
          'access-control-allow-methods': 'POST',
          'access-control-allow-headers': 'content-type',
          'access-control-max-age': '7200',
          vary: 'Origin',
        });
        const { status, headers } = await widget.session(boot('cors'), { origin });
        expect(status).to.equal(200);
        expect(headers.get('access-control-allow-origin')).to.equal(origin);
        expect(headers.get('access-control-allow-credentials')).to.equal(null);
      }
      const { status, headers } = await widget.session(boot('cors'));
      expect([status, headers.get('access-control-allow-origin')]).to.eql([200, null]);
    });
  });

  it('refuses a user who boots too often, and an address that asks too much, with 429 for the page to read', async () => {
    // A burst of one, and the next in a thousand seconds.
    const cases = [
      { limit: 'boot', settings: { bootsPerMinute: 0.06 }, statuses: [200, 429, 200] },
      { limit: 'widget', settings: { requestsPerSecond: 0.001 }, statuses: [200, 429, 429] },
    ];
    for (const { limit, settings, statuses } of cases) {
      const strict = await fixture.start(settings);
      try {
        for (const [n, user] of ['often', 'often', 'once'].entries()) {
          const answer = await strict.session(boot(user), { origin: page });
          expect(answer.status, `${limit} ${n}`).to.equal(statuses[n]);
          expect(answer.headers.get('access-control-allow-origin')).to.equal(page);
        }
        const refused = statuses.filter((status) => status === 429).length;
        const metrics = await (await fetch(`${strict.adminUrl}/metrics`)).text();
        expect(metrics).to.match(
          new RegExp(`tributary_requests_limited_total\\{limit="${limit}"[^}]*\\} ${refused}\\n`),
        );
      } finally {
        await strict.stop();
      }
    }
  });

  describe('the campaign configuration', () => {
    const own = 'https://a.example';
    const ask = (query: string, origin?: string) =>
      widget.ask<Record<string, unknown>>(
        `/widget/campaign-config${query}`,
        origin === undefined ? {} : { headers: { origin } },
      );
    const asked = async (query: string, origin?: string) => (await ask(query, origin)).body;
    const full = {
      campaignConfig: {
        campaignId: 'c1',
        newUserDiscountMonth: 3,
        newUserDiscountPercentage: 0.1,
      },
      referrerName: 'Ada',
      windowDays: 90,
    };

    before(async () => {
      const ada = { tenantId: 'a', productUserId: 'ada' };
      const off = codeOf('OFF', { ...ada, campaignId: 'c1' });
      await fixture.publishCatalog(runningCampaign('a', 'gone', { status: 'stopped' }));
      await fixture.publishCatalog(runningCampaign('a', 'long', { attributionWindowDays: 900 }));
      await fixture.publishCatalog(runningCampaign('a', 'short', { attributionWindowDays: 14 }));
      await fixture.publish(
        onLog.person(
          personOf('ada', {
            tenantId: 'a',
            name: 'Ada Lovelace',
            lastName: 'Lovelace',
            email: 'ada@acme.example',
          }),
        ),
        onLog.code(off),
        onLog.code(disabled(off, new Date().toISOString())),
        ...['c1', 'gone', 'long', 'short', 'unheard-of'].map((campaignId) =>
          onLog.code(codeOf(`IN-${campaignId}`, { ...ada, campaignId })),
        ),
        onLog.code(
          codeOf('NAMELESS', { tenantId: 'a', campaignId: 'c1', productUserId: 'nobody' }),
        ),
        onLog.code(codeOf('OF-B', { tenantId: 'b', campaignId: 'c1', productUserId: 'bea' })),
      );
      await eventually(async () => {
        expect(await asked('?ucc=IN-c1', own)).to.eql(full);
        expect(await asked('?ucc=NAMELESS', own)).to.not.eql({});
        expect(await asked('?ucc=IN-short', own)).to.include({ referrerName: 'Ada' });
        expect(await asked('?ucc=IN-long', own)).to.include({ referrerName: 'Ada' });
        expect(await asked('?ucc=OF-B', 'https://b.example')).to.not.eql({});
        // Neither not known yet, nor issued still.
        const { rows } = await queryOnce(
          database.url,
          `select ucc, status from widget.code where ucc in ('OFF', 'IN-gone') order by ucc`,
        );
        expect(rows).to.eql([
          { ucc: 'IN-gone', status: 'issued' },
          { ucc: 'OFF', status: 'disabled' },
        ]);
      }, deadline);
    });

    it('tells campaign, discount, window and the first name of the referrer', async () => {
      const { status, headers, body } = await ask('?ucc=IN-c1&productId=product-a', own);
      expect(status).to.equal(200);
      expect(body).to.eql(full);
      expect(headers.get('access-control-allow-origin')).to.equal(own);
      expect(headers.get('vary')).to.equal('Origin');
      expect(headers.get('cache-control')).to.equal('private, max-age=60');
      expect(JSON.stringify(body)).to.not.match(/lovelace|@/i);
    });

    it('has the window of the campaign, no longer than browsers keep a cookie', async () => {
      expect(await asked('?ucc=IN-short', own)).to.include({ windowDays: 14 });
      expect(await asked('?ucc=IN-long', own)).to.include({ windowDays: 400 });
      const { campaignConfig } = await asked('?ucc=IN-long', own);
      expect(campaignConfig).to.eql({ campaignId: 'long' });
    });

    it('names no referrer who is not known', async () => {
      const { headers, body } = await ask('?ucc=NAMELESS', own);
      expect(body).to.have.all.keys('campaignConfig', 'windowDays');
      // They may be known in a moment, when they boot the widget.
      expect(headers.get('cache-control')).to.equal('no-store');
    });

    it('is empty for a code that attributes nothing now', async () => {
      for (const ucc of ['OFF', 'IN-gone', 'IN-unheard-of', 'UNKNOWN', 'OF-B', '', '%00', '%FF']) {
        expect(await asked(`?ucc=${ucc}`, own), ucc).to.eql({});
      }
      expect(await asked(`?ucc=${'x'.repeat(256)}`, own)).to.eql({});
      expect(await asked('', own)).to.eql({});
      expect(await asked('?productId=product-a', own)).to.eql({});
    });

    it('is empty, with a 200, for pages of domains that are not registered', async () => {
      const origins = ['https://evil.example', 'https://a.example.evil.example', 'null'];
      for (const origin of [...origins, 'https://a.example:8443', 'https://sub.a.example']) {
        const { status, headers, body } = await ask('?ucc=IN-c1&productId=product-a', origin);
        expect([status, body], origin).to.eql([200, {}]);
        expect(headers.get('access-control-allow-origin')).to.equal(origin);
      }
      expect(await asked('?ucc=IN-c1')).to.eql({});
    });

    it('is empty until a domain is proved, but for this machine in the sandbox', async () => {
      const domain = { entity: 'domain', status: 'registered' } as const;
      for (const [name, version, proof] of [
        ['claimed.acme-shops.com', 1, 'none'],
        ['localhost:3000', 1, 'none'],
        ['pages.test', 1, 'none'],
        ['lost.acme-shops.com', 1, 'dns'],
        ['lost.acme-shops.com', 2, 'none'],
        ['late.example', 1, 'file'],
      ] as const) {
        const common = catalogCommon('a', version);
        await fixture.publishCatalog({ ...common, ...domain, domain: name, proof });
      }
      await eventually(async () =>
        expect(await asked('?ucc=IN-c1', 'https://late.example')).to.eql(full),
      );
      expect(await asked('?ucc=IN-c1', 'http://localhost:3000')).to.eql(full);
      expect(await asked('?ucc=IN-c1', 'http://pages.test')).to.eql(full);
      for (const origin of ['https://claimed.acme-shops.com', 'https://lost.acme-shops.com']) {
        expect(await asked('?ucc=IN-c1&productId=product-a', origin), origin).to.eql({});
      }
    });

    it('takes the product of the address where several have the domain', async () => {
      const shared = 'https://shared.example';
      expect(await asked('?ucc=IN-c1', shared)).to.eql({});
      expect(await asked('?ucc=IN-c1&productId=product-a', shared)).to.eql(full);
      expect(await asked('?ucc=IN-c1&productId=product-b', shared)).to.eql({});
      expect(await asked('?ucc=OF-B&productId=product-b', shared)).to.not.eql({});
      expect(await asked('?ucc=OF-B&productId=product-b', own)).to.eql({});
      expect(await asked('?ucc=IN-c1&productId=', own)).to.eql(full);
    });

    it('names the referrer as the tenant has set', async () => {
      await fixture.publishCatalog(settingsRecord('a', 1, { referrerName: 'initial' }));
      await eventually(async () =>
        expect(await asked('?ucc=IN-c1', own)).to.include({ referrerName: 'A.' }),
      );
      await fixture.publishCatalog(settingsRecord('a', 2, { referrerName: 'none' }));
      await eventually(async () =>
        expect(await asked('?ucc=IN-c1', own)).to.not.have.property('referrerName'),
      );
      await fixture.publishCatalog(settingsRecord('a', 3, {}));
    });

    it('forgets an erased referrer, and a domain that was removed', async () => {
      const erasedAt = new Date().toISOString();
      const common = catalogCommon('a');
      await fixture.publishCatalog({ ...common, entity: 'erasure', userId: 'ada', erasedAt });
      await eventually(async () => {
        const answer = await asked('?ucc=IN-c1', own);
        expect(answer).to.have.all.keys('campaignConfig', 'windowDays');
      }, deadline);
      const domain = { entity: 'domain', domain: 'a.example', proof: 'dns' } as const;
      const removed = { ...domain, status: 'removed' } as const;
      await fixture.publishCatalog({ ...catalogCommon('a', 2), ...removed });
      await eventually(async () => expect(await asked('?ucc=IN-c1', own)).to.eql({}), deadline);
    });

    it('answers a browser that asks first, and HEAD, and no other method', async () => {
      const preflight = await raw('/widget/campaign-config', { origin: own }, 'OPTIONS');
      expect(preflight.status).to.equal(204);
      expect(preflight.headers).to.include({
        'access-control-allow-origin': own,
        'access-control-allow-methods': 'GET, HEAD',
      });
      const head = await raw('/widget/campaign-config?ucc=x', { origin: own }, 'HEAD');
      expect([head.status, head.bytes.length]).to.eql([200, 0]);
      const post = await raw('/widget/campaign-config?ucc=x', { origin: own }, 'POST');
      expect([post.status, post.headers.allow]).to.eql([405, 'GET, HEAD, OPTIONS']);
    });

    it('serves pages of plain http in the sandbox only', async () => {
      const prod = await fixture.start({ environment: 'prod' });
      try {
        const asked = async (process: WidgetProcess, origin: string) => {
          const path = '/widget/campaign-config?ucc=OF-B';
          return (await process.ask<object>(path, { headers: { origin } })).body;
        };
        expect(await asked(widget, 'http://b.example')).to.not.eql({});
        expect(await asked(prod, 'http://b.example')).to.eql({});
        expect(await asked(prod, 'https://b.example')).to.not.eql({});
      } finally {
        await prod.stop();
      }
    });
  });
});

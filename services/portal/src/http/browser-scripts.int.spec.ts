import { catalogSchemaVersion } from '@tributary/contracts/catalog-record';
import { defaultWidgetSettings } from '@tributary/contracts/widget-settings';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

describe('portal: domains and settings of the browser scripts', () => {
  let portal: TestPortal;
  before(async () => {
    portal = await startTestPortal();
    for (const tenantId of ['acme', 'other']) {
      await portal.call('POST', '/api/tenants', { tenantId, name: tenantId });
    }
  });
  beforeEach(() => portal.clock.set('2026-11-20T10:00:00.123Z'));
  after(() => portal.stop());

  const recordsOf = (tenantId: string, entity: 'domain' | 'widget-settings') =>
    portal.catalog.filter((record) => record.tenantId === tenantId && record.entity === entity);
  /** The audit list aside, which keeps what was asked for. */
  const dumped = async (pattern: RegExp) =>
    (await portal.dumpTables())
      .split('\n')
      .filter((row) => !row.startsWith('audit_'))
      .join('\n')
      .match(pattern)?.length ?? 0;

  describe('domains', () => {
    const add = (domain: unknown, tenantId = 'acme') =>
      portal.call('POST', `/api/tenants/${tenantId}/domains`, { domain });
    const remove = (domain: string, tenantId = 'acme') =>
      portal.call('DELETE', `/api/tenants/${tenantId}/domains/${encodeURIComponent(domain)}`);
    const list = async (tenantId = 'acme') =>
      (await portal.call('GET', `/api/tenants/${tenantId}/domains`)).body['domains'];
    const versionsOf = (domain: string) =>
      portal.catalog.flatMap((record) =>
        record.entity === 'domain' && record.domain === domain
          ? [`${record.version} ${record.status}`]
          : [],
      );

    it('registers a domain once, in the form of origins, and publishes it', async () => {
      const registeredAt = '2026-11-20T10:00:00.123Z';
      const answer = { domain: 'xn--shp-tna.example', registeredAt, proof: 'not-needed' };
      const first = await add('SHÖP.example');
      expect(first.status).to.equal(201);
      expect(first.body).to.include(answer);
      portal.clock.set('2026-11-21T10:00:00.000Z');
      const again = await add('shöp.example');
      expect([again.status, again.body]).to.deep.equal([200, first.body]);
      expect(first.body['challenge']).to.equal(null);
      await eventually(() => expect(recordsOf('acme', 'domain')).to.not.have.length(0));
      const [record, ...more] = recordsOf('acme', 'domain');
      expect(more).to.deep.equal([]);
      expect(record).to.include({
        schemaVersion: catalogSchemaVersion,
        entity: 'domain',
        tenantId: 'acme',
        version: 1,
        publishedAt: registeredAt,
        domain: 'xn--shp-tna.example',
        status: 'registered',
        proof: 'none',
      });
      expect(record).to.have.property('challenge').with.length(32);
    });

    it('lists what is registered, in order; a tenant without any has none', async () => {
      expect(await list('other')).to.deep.equal([]);
      await add('localhost:3000', 'other');
      await add('*.b.example', 'other');
      await add('a.example', 'other');
      await remove('a.example', 'other');
      const registeredAt = '2026-11-20T10:00:00.123Z';
      const listed = (await list('other')) as Record<string, unknown>[];
      const shown = listed.map((row) => [row['domain'], row['registeredAt'], row['proof']]);
      expect(shown).to.deep.equal([
        ['*.b.example', registeredAt, 'not-needed'],
        ['localhost:3000', registeredAt, 'not-needed'],
      ]);
    });

    it('removes one however it is written, once, and takes it again with a higher version', async () => {
      await add('*.gone.example:8443');
      for (const text of ['*.gone.example:8443', '*.GONE.example:8443']) {
        const { status, body } = await remove(text);
        const expected = { domain: '*.gone.example:8443', status: 'removed' };
        expect([status, body]).to.deep.equal([200, expected]);
      }
      expect(JSON.stringify(await list())).to.not.contain('gone.example');
      portal.clock.set('2026-11-22T10:00:00.000Z');
      const back = await add('*.gone.example:8443');
      expect(back.status).to.equal(201);
      expect(back.body).to.include({ registeredAt: '2026-11-22T10:00:00.000Z' });
      await eventually(() =>
        expect(versionsOf('*.gone.example:8443')).to.deep.equal([
          '1 registered',
          '2 removed',
          '3 registered',
        ]),
      );
    });

    it('refuses what is no domain and leaves nothing then', async () => {
      for (const domain of [
        ...[
          '',
          'https://a.example',
          'a.example/x',
          'a.example?',
          'a b',
          '*',
          '*.com',
          'a.*.example',
        ],
        ...[
          '.',
          'a.example:port',
          'user@a.example',
          `${'a.'.repeat(200)}example`,
          7,
          null,
          undefined,
        ],
      ]) {
        const { status, body } = await add(domain);
        const pointers = body.errors?.map(({ pointer }) => pointer);
        expect([status, pointers], String(domain)).to.deep.equal([422, ['/domain']]);
      }
      expect((await add('a.example', 'nobody')).status).to.equal(404);
      // The row of `other`, which was removed.
      expect(await dumped(/^registered_domain .*"(?:a\.example|nobody)"/gm)).to.equal(1);
    });

    it('answers 404 for a domain or a tenant that is not there', async () => {
      for (const answer of [
        await remove('never.example'),
        await remove('no domain'),
        await remove('a.example', 'nobody'),
        await portal.call('GET', '/api/tenants/nobody/domains'),
      ]) {
        expect([answer.status, answer.body.code]).to.deep.equal([404, 'NOT_FOUND']);
      }
      expect(await dumped(/never\.example/g)).to.equal(0);
    });

    it('gives no version twice when many come at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          i % 2 === 0 ? add('busy.example') : remove('busy.example'),
        ),
      );
      const changes = answers.filter(({ status }) => status === 201).length;
      expect(changes).to.be.above(0);
      await add('busy.example');
      await eventually(() => expect(versionsOf('busy.example').at(-1)).to.match(/ registered$/));
      const numbers = versionsOf('busy.example').map((text) => Number.parseInt(text, 10));
      expect(numbers).to.deep.equal(numbers.map((_, i) => i + 1));
    });
  });

  describe('settings', () => {
    const put = (body: unknown, tenantId = 'acme') =>
      portal.call('PUT', `/api/tenants/${tenantId}/widget`, body);
    const show = async (tenantId = 'acme') =>
      (await portal.call('GET', `/api/tenants/${tenantId}/widget`)).body;

    it('are the defaults of the contract until something is set', async () => {
      expect(await show('other')).to.deep.equal(defaultWidgetSettings);
      const unchanged = await put({ recoverSignups: false }, 'other');
      expect([unchanged.status, unchanged.body]).to.deep.equal([200, defaultWidgetSettings]);
      expect(await dumped(/^widget_settings .*"other"/gm)).to.equal(0);
    });

    it('are merged at the first level, and published whole when something changed', async () => {
      const theme = { light: { accent: '#1f6feb' }, cornerRadius: 4 };
      await put({ theme, referrerName: 'initial' });
      await put({ referrerName: 'initial', theme });
      const texts = { de: { 'launcher.label': 'Freunde einladen „jetzt“ 🍵' } };
      const { body } = await put({ texts, maxTokenAgeSeconds: 600 });
      const first = { ...defaultWidgetSettings, theme, referrerName: 'initial' };
      const second = { ...first, texts, maxTokenAgeSeconds: 600 };
      expect(body).to.deep.equal(second);
      expect(await show()).to.deep.equal(second);
      const third = { ...second, theme: { dark: {} }, maxTokenAgeSeconds: null };
      expect((await put({ theme: { dark: {} }, maxTokenAgeSeconds: null })).body).to.deep.equal(
        third,
      );

      await eventually(() => expect(recordsOf('acme', 'widget-settings')).to.have.length(3));
      expect(recordsOf('acme', 'widget-settings')).to.deep.equal(
        [first, second, third].map((settings, i) => ({
          schemaVersion: catalogSchemaVersion,
          entity: 'widget-settings',
          tenantId: 'acme',
          version: i + 1,
          publishedAt: '2026-11-20T10:00:00.123Z',
          settings,
        })),
      );
    });

    it('can be put back as they were shown', async () => {
      const shown = await show();
      expect((await put(shown)).body).to.deep.equal(shown);
    });

    it('refuses mistakes with their pointers and changes nothing then', async () => {
      const before = await show();
      const wrong = {
        referrerName: 'full',
        theme: { light: { accent: 'red' } },
        recoverSignups: true,
      };
      const { status, body } = await put(wrong);
      expect(status).to.equal(422);
      const pointers = body.errors?.map(({ pointer }) => pointer);
      expect(pointers).to.have.members(['/theme/light/accent', '/referrerName']);
      expect(await show()).to.deep.equal(before);
    });

    it('answers 404 for a tenant that is not there', async () => {
      expect((await put({}, 'nobody')).status).to.equal(404);
      expect((await portal.call('GET', '/api/tenants/nobody/widget')).status).to.equal(404);
    });
  });

  describe('a widget token', () => {
    const nowSeconds = Date.parse('2026-11-20T10:00:00Z') / 1_000;
    let product: { productId: string; productSecret: string };
    before(async () => {
      const created = await portal.call('POST', '/api/tenants', { tenantId: 'app', name: 'App' });
      product = created.body as typeof product;
    });
    const claims = () => ({ productId: product.productId, productUserId: 'ada', iat: nowSeconds });
    const sign = (payload: object, secret = product.productSecret, algorithm = 'HS512' as const) =>
      jwt.sign(payload, secret, { algorithm });
    const check = (token: unknown, tenantId = 'app') =>
      portal.call('POST', `/api/tenants/${tenantId}/widget/check-token`, { token });

    it('is taken when it is as the interface says', async () => {
      const { status, body } = await check(sign(claims()));
      const issuedAt = '2026-11-20T10:00:00.000Z';
      expect([status, body]).to.deep.equal([
        200,
        { accepted: true, productUserId: 'ada', issuedAt },
      ]);
    });

    it('is refused with the reason, by the secret and the settings that hold now', async () => {
      const faultOf = async (token: string, tenantId?: string) => {
        const { status, body } = await check(token, tenantId);
        expect([status, body['accepted']]).to.deep.equal([200, false]);
        return body as { fault: string; detail: string };
      };
      expect((await faultOf('a.b')).fault).to.equal('form');
      expect((await faultOf(sign({ ...claims(), exp: nowSeconds }))).detail).to.include('"exp"');
      expect((await faultOf(sign({ ...claims(), iat: nowSeconds + 301 }))).fault).to.equal(
        'issued-ahead',
      );
      const foreign = await faultOf(sign(claims()), 'acme');
      const { body: acme } = await portal.call('GET', '/api/tenants/acme');
      const [theirs, ours] = [product.productId, acme['productId'] as string];
      expect(foreign).to.deep.equal({
        accepted: false,
        fault: 'other-product',
        detail: `The token names the product "${theirs}"; this tenant's is "${ours}".`,
      });

      await portal.call('PUT', '/api/tenants/app/widget', { maxTokenAgeSeconds: 60 });
      const old = sign({ ...claims(), iat: nowSeconds - 61 });
      expect((await faultOf(old)).detail)
        .to.include('61 seconds old')
        .and.include('at most 60.');
      const before = sign(claims());
      await portal.call('POST', '/api/tenants/app/product-secret');
      expect((await faultOf(before)).fault).to.equal('signature');
    });

    it('is asked of a tenant that there is, by an operator, and not longer than the widget takes', async () => {
      expect((await check('a.b.c', 'nobody')).status).to.equal(404);
      for (const token of ['', 'x'.repeat(8_193), 7, undefined]) {
        const { status, body } = await check(token);
        expect([status, body['code']]).to.deep.equal([422, 'VALIDATION_ERROR']);
      }
      const path = '/api/tenants/app/widget/check-token';
      const anonymous = await fetch(`${portal.baseUrl}${path}`, { method: 'POST' });
      expect(anonymous.status).to.equal(401);
    });
  });
});

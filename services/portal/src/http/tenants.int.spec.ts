import { type CatalogRecord, catalogSchemaVersion } from '@tributary/contracts/catalog-record';
import { secretContext } from '@tributary/contracts/secret-context';
import { keyedDigest, openSecret } from '@tributary/runtime/secrets';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

describe('portal: tenants, keys, secrets and webhooks', () => {
  let portal: TestPortal;
  before(async () => {
    portal = await startTestPortal();
  });
  after(() => portal.stop());

  const recordsOf = (tenantId: string, entity: CatalogRecord['entity']) =>
    portal.catalog.filter((record) => record.tenantId === tenantId && record.entity === entity);
  const create = async (tenantId: string, name = 'Acme') => {
    const { body } = await portal.call('POST', '/api/tenants', { tenantId, name });
    return body as { productId: string; productSecret: string };
  };

  describe('tenants', () => {
    it('creates a tenant with a product secret of at least 64 bytes and publishes both', async () => {
      const answer = await portal.call('POST', '/api/tenants', { name: 'Acme' });
      expect(answer.status).to.equal(201);
      expect(answer.headers.get('cache-control')).to.equal('no-store');
      const { tenantId, productId, productSecret } = answer.body as Record<string, string>;
      expect(productSecret).to.match(/^[\w-]{64,}$/);
      await eventually(() => {
        expect(recordsOf(tenantId!, 'tenant')).to.deep.equal([
          {
            schemaVersion: catalogSchemaVersion,
            entity: 'tenant',
            tenantId,
            version: 1,
            publishedAt: portal.catalog.find((r) => r.tenantId === tenantId)?.publishedAt,
            name: 'Acme',
            status: 'active',
            productId,
            defaultCampaignId: null,
            attributionMode: 'event-code',
            legacyRepeatHours: 24,
          },
        ]);
        expect(recordsOf(tenantId!, 'product-secret')).to.have.length(1);
      });
    });

    it('changes the attribution mode from now on, and once (design 7)', async () => {
      await portal.call('POST', '/api/tenants', { tenantId: 'modes', name: 'Modes' });
      const choose = (attributionMode: unknown) =>
        portal.call('PUT', '/api/tenants/modes/attribution-mode', { attributionMode });
      for (const _ of [1, 2]) {
        const { status, body } = await choose('first-code');
        expect(status).to.equal(200);
        expect(body).to.deep.equal({ attributionMode: 'first-code' });
      }
      expect((await portal.call('GET', '/api/tenants/modes')).body).to.include({
        attributionMode: 'first-code',
      });
      const wrong = await choose('last-code');
      expect(wrong.body.errors?.[0]).to.include({
        pointer: '/attributionMode',
        code: 'INVALID_ENUM',
      });
      const nobody = await portal.call('PUT', '/api/tenants/nobody/attribution-mode', {
        attributionMode: 'first-code',
      });
      expect(nobody.status).to.equal(404);
      await eventually(() => {
        const found = recordsOf('modes', 'tenant') as {
          attributionMode: string;
          version: number;
        }[];
        expect(found.map((r) => [r.version, r.attributionMode])).to.deep.equal([
          [1, 'event-code'],
          [2, 'first-code'],
        ]);
      });
    });

    it('suspends a tenant and resumes it, each once, and sets how many events it may send', async () => {
      await portal.call('POST', '/api/tenants', { tenantId: 'held', name: 'Held' });
      const limit = (eventsPerSecond: unknown, tenantId = 'held') =>
        portal.call('PUT', `/api/tenants/${tenantId}/events-per-second`, { eventsPerSecond });
      const set = (what: string, tenantId = 'held') =>
        portal.call('POST', `/api/tenants/${tenantId}/${what}`);
      for (const [what, status] of [
        ...[['suspend', 'suspended'] as const, ['suspend', 'suspended'] as const],
        ['resume', 'active'] as const,
      ]) {
        const answer = await set(what);
        expect([answer.status, answer.body]).to.deep.equal([200, { tenantId: 'held', status }]);
        expect((await portal.call('GET', '/api/tenants/held')).body).to.include({ status });
      }
      expect((await limit(500)).body).to.deep.equal({ eventsPerSecond: 500 });
      expect((await limit(null)).body).to.deep.equal({ eventsPerSecond: null });
      for (const wrong of [0, 1.5, '5', 1_000_001, undefined]) {
        expect((await limit(wrong)).status, String(wrong)).to.equal(422);
      }
      for (const answer of [await set('suspend', 'nobody'), await limit(1, 'nobody')]) {
        expect(answer.status).to.equal(404);
      }
      await eventually(() => {
        const found = recordsOf('held', 'tenant') as { status: string; eventsPerSecond?: number }[];
        expect(found.map((r) => [r.status, r.eventsPerSecond])).to.deep.equal([
          ['active', undefined],
          ['suspended', undefined],
          ['active', undefined],
          ['active', 500],
          ['active', undefined],
        ]);
      });
    });

    it('changes for how long an equal legacy payment is a repeat, from now on, and once', async () => {
      await portal.call('POST', '/api/tenants', { tenantId: 'repeats', name: 'Repeats' });
      const choose = (legacyRepeatHours: unknown, tenantId = 'repeats') =>
        portal.call('PUT', `/api/tenants/${tenantId}/legacy-repeat-hours`, { legacyRepeatHours });
      for (const _ of [1, 2]) {
        const { status, body } = await choose(72);
        expect([status, body]).to.deep.equal([200, { legacyRepeatHours: 72 }]);
      }
      expect((await portal.call('GET', '/api/tenants/repeats')).body).to.include({
        legacyRepeatHours: 72,
      });
      for (const wrong of [0, 8_761, 1.5, '24']) {
        expect((await choose(wrong)).body.errors?.[0], String(wrong)).to.include({
          pointer: '/legacyRepeatHours',
        });
      }
      expect((await choose(72, 'nobody')).status).to.equal(404);
      await eventually(() => {
        const found = recordsOf('repeats', 'tenant') as {
          legacyRepeatHours: number;
          version: number;
        }[];
        expect(found.map((r) => [r.version, r.legacyRepeatHours])).to.deep.equal([
          [1, 24],
          [2, 72],
        ]);
      });
    });

    it('takes the attribution mode with the creation, so that it holds from always', async () => {
      const create = (body: object) =>
        portal.call('POST', '/api/tenants', { tenantId: 'first', name: 'First', ...body });
      const first = { attributionMode: 'first-code' };
      expect((await create(first)).status).to.equal(201);
      expect((await create(first)).status).to.equal(200);
      expect((await create({})).status).to.equal(200);
      const other = await create({ attributionMode: 'event-code' });
      expect([other.status, other.body.code]).to.deep.equal([409, 'CONFLICT']);
      await eventually(() =>
        expect(recordsOf('first', 'tenant')).to.have.nested.property(
          '0.attributionMode',
          'first-code',
        ),
      );
    });

    it('answers a repeated creation with the tenant, shows its secret no more and publishes nothing', async () => {
      const first = await portal.call('POST', '/api/tenants', { tenantId: 'again', name: 'Acme' });
      const second = await portal.call('POST', '/api/tenants', { tenantId: 'again', name: 'Acme' });
      expect([first.status, second.status]).to.deep.equal([201, 200]);
      const { productSecret, ...rest } = first.body;
      expect(productSecret).to.be.a('string');
      expect(second.body).to.deep.equal(rest);
      await portal.call('POST', '/api/tenants/again/product-secret', {});
      await eventually(() =>
        expect(recordsOf('again', 'product-secret').map((r) => r.version)).to.deep.equal([1, 2]),
      );
      expect(recordsOf('again', 'tenant')).to.have.length(1);
    });

    it('creates one tenant of concurrent equal requests', async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () =>
          portal.call('POST', '/api/tenants', { tenantId: 'race', name: 'Acme' }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([
        ...Array.from({ length: 7 }, () => 200),
        201,
      ]);
      expect(new Set(answers.map(({ body }) => body['productId'])).size).to.equal(1);
      expect(answers.filter(({ body }) => 'productSecret' in body)).to.have.length(1);
    });

    it('refuses an id that is taken under another name', async () => {
      await create('taken', 'Acme');
      const answer = await portal.call('POST', '/api/tenants', {
        tenantId: 'taken',
        name: 'Other',
      });
      expect(answer).to.deep.include({ status: 409 });
      expect(answer.body.code).to.equal('CONFLICT');
    });

    it('shows tenants without any secret', async () => {
      const { productSecret } = await create('shown');
      await portal.call('PUT', '/api/tenants/shown/webhook', {
        url: 'https://example.com/hook',
        password: 'canary-shown',
      });
      const key = await portal.call('POST', '/api/tenants/shown/access-keys', {});
      const shown = await portal.call('GET', '/api/tenants/shown');
      expect(shown.body).to.deep.include({
        tenantId: 'shown',
        name: 'Acme',
        environment: 'sandbox',
        accessKeys: [{ accessKeyId: key.body['accessKeyId'], status: 'active' }],
        campaigns: [],
      });
      expect(shown.body['webhook']).to.include({ url: 'https://example.com/hook' });
      const list = await portal.call('GET', '/api/tenants');
      const text = JSON.stringify([shown.body, list.body]);
      expect(text).to.contain('"tenantId":"shown"').and.not.contain('canary-shown');
      expect(text).not.to.contain(productSecret).and.not.contain(key.body['secretAccessKey']);
    });

    it('does not know a tenant that was never made', async () => {
      for (const [method, path, body] of [
        ['GET', '/api/tenants/nobody', undefined],
        ['GET', '/api/tenants/a:b', undefined],
        ['GET', '/api/tenants/%00', undefined],
        ['GET', '/api/tenants/%E0%A4%A', undefined],
        ['POST', '/api/tenants/nobody/access-keys', {}],
        ['POST', '/api/tenants/nobody/product-secret', {}],
        ['PUT', '/api/tenants/nobody/webhook', { url: 'https://example.com/' }],
        ['DELETE', '/api/tenants/nobody/access-keys/ak-1', undefined],
        ['DELETE', '/api/tenants/nobody/access-keys/%00', undefined],
      ] as const) {
        const answer = await portal.call(method, path, body);
        expect(answer.status, `${method} ${path}`).to.equal(404);
        expect(answer.body.code).to.equal('NOT_FOUND');
      }
    });
  });

  describe('access keys', () => {
    it('shows a secret of 256 bits once and publishes its keyed digest', async () => {
      await create('keys');
      const { status, body } = await portal.call('POST', '/api/tenants/keys/access-keys');
      const { accessKeyId, secretAccessKey } = body as Record<string, string>;
      expect(status).to.equal(201);
      expect(Buffer.from(secretAccessKey!, 'base64url')).to.have.length(32);
      await eventually(() => {
        const [record] = recordsOf('keys', 'access-key');
        expect(record).to.include({
          accessKeyId,
          status: 'active',
          version: 1,
          secretDigest: keyedDigest(portal.accessKeyDigestKey, secretAccessKey!),
        });
      });
    });

    it('revokes with the next version, once', async () => {
      await create('revoke');
      const { body } = await portal.call('POST', '/api/tenants/revoke/access-keys', {});
      const path = `/api/tenants/revoke/access-keys/${String(body['accessKeyId'])}`;
      for (const _ of [1, 2]) {
        const answer = await portal.call('DELETE', path);
        expect(answer.status).to.equal(200);
        expect(answer.body).to.deep.equal({ accessKeyId: body['accessKeyId'], status: 'revoked' });
      }
      await portal.call('POST', '/api/tenants/revoke/access-keys', {});
      await eventually(() => {
        const versions = recordsOf('revoke', 'access-key').map((record) => record.version);
        expect(versions.sort()).to.deep.equal([1, 1, 2]);
      });
    });

    it("does not revoke another tenant's key", async () => {
      await create('owner');
      await create('stranger');
      const { body } = await portal.call('POST', '/api/tenants/owner/access-keys', {});
      const path = `/api/tenants/stranger/access-keys/${String(body['accessKeyId'])}`;
      expect((await portal.call('DELETE', path)).status).to.equal(404);
      const { body: owner } = await portal.call('GET', '/api/tenants/owner');
      expect(owner['accessKeys']).to.have.nested.property('[0].status', 'active');
    });
  });

  describe('product secret', () => {
    it('is replaced with the next version, also by concurrent rotations', async () => {
      const { productId, productSecret } = await create('rotate');
      const answers = await Promise.all(
        Array.from({ length: 4 }, () =>
          portal.call('POST', '/api/tenants/rotate/product-secret', {}),
        ),
      );
      const secrets = new Set([productSecret, ...answers.map(({ body }) => body['productSecret'])]);
      expect(secrets.size).to.equal(5);
      for (const { status, body } of answers) {
        expect(status).to.equal(201);
        expect(body).to.include({ productId });
      }
      await eventually(() => {
        const records = recordsOf('rotate', 'product-secret');
        expect(records.map(({ version }) => version).sort()).to.deep.equal([1, 2, 3, 4, 5]);
      });
    });
  });

  describe('webhook', () => {
    const set = (body: unknown) => portal.call('PUT', '/api/tenants/hooked/webhook', body);

    it('makes credentials, shows the password once, and publishes each change', async () => {
      await create('hooked');
      const first = await set({ url: 'http://127.0.0.1:9/a' });
      expect(first.status).to.equal(200);
      const { password, ...rest } = first.body;
      expect(password).to.match(/^[\w-]{43}$/);
      const same = await set({ url: 'http://127.0.0.1:9/a' });
      expect(same.body).to.deep.equal(rest);
      const moved = await set({ url: 'http://127.0.0.1:9/b', password });
      expect(moved.body).to.deep.equal({ ...rest, url: 'http://127.0.0.1:9/b' });
      const own = await set({ url: 'http://127.0.0.1:9/b', username: 'u', password: 'p' });
      expect(own.body).to.deep.equal({ url: 'http://127.0.0.1:9/b', username: 'u' });
      await eventually(() => {
        const records = recordsOf('hooked', 'webhook-endpoint');
        expect(records.map(({ version }) => version)).to.deep.equal([1, 2, 3]);
        expect(records.at(-1)).to.include({ username: 'u', status: 'active' });
      });
    });

    it('wants the password again for another address, and else writes nothing', async () => {
      const before = recordsOf('hooked', 'webhook-endpoint').length;
      for (const body of [
        { url: 'http://127.0.0.1:9/c' },
        { url: 'http://127.0.0.1:9/b?' },
        { url: 'http://127.0.0.2:9/b', username: 'u' },
      ]) {
        const answer = await set(body);
        expect([answer.status, answer.body.code]).to.deep.equal([422, 'VALIDATION_ERROR']);
        expect(answer.body.errors).to.have.length(1);
        expect(answer.body.errors?.[0]).to.include({ pointer: '/password', code: 'REQUIRED' });
        expect(answer.body.errors?.[0]?.detail).to.contain('enter the password for it again');
      }
      const { body } = await portal.call('GET', '/api/tenants/hooked');
      expect(body['webhook']).to.include({ url: 'http://127.0.0.1:9/b', username: 'u' });
      // What follows is published after what would have been.
      await portal.call('POST', '/api/tenants/hooked/product-secret', {});
      await eventually(() => expect(recordsOf('hooked', 'product-secret')).to.have.length(2));
      expect(recordsOf('hooked', 'webhook-endpoint')).to.have.length(before);
    });

    it('seals the password for this tenant and this use only', async () => {
      const record = recordsOf('hooked', 'webhook-endpoint').at(-1);
      if (record?.entity !== 'webhook-endpoint') throw new Error('no record');
      const open = (tenantId: string, use: 'webhook-password' | 'product-secret') =>
        openSecret(
          portal.keyRings['webhook-passwords'],
          record.sealedPassword,
          secretContext(tenantId, use),
        );
      expect(open('hooked', 'webhook-password')).to.equal('p');
      expect(() => open('other', 'webhook-password')).to.throw();
      expect(() => open('hooked', 'product-secret')).to.throw();
    });

    it('reports every mistake at once', async () => {
      const { status, body } = await set({
        url: 'ftp://x',
        username: 'a:b',
        password: '',
        more: 1,
      });
      expect(status).to.equal(422);
      expect(body.errors?.map(({ pointer }) => pointer).sort()).to.deep.equal([
        '/more',
        '/password',
        '/url',
        '/username',
      ]);
    });
  });

  it('keeps no secret in clear, in any table or record (design 5)', async () => {
    const tenant = await create('canary');
    const key = await portal.call('POST', '/api/tenants/canary/access-keys', {});
    const rotated = await portal.call('POST', '/api/tenants/canary/product-secret', {});
    await portal.call('PUT', '/api/tenants/canary/webhook', {
      url: 'https://example.com/',
      password: 'canary-password',
    });
    const secrets = [
      'canary-password',
      tenant.productSecret,
      String(rotated.body['productSecret']),
      String(key.body['secretAccessKey']),
    ];
    await eventually(() => expect(recordsOf('canary', 'webhook-endpoint')).to.have.length(1));
    await eventually(() => expect(recordsOf('canary', 'access-key')).to.have.length(1));
    const kept = JSON.stringify(portal.catalog) + (await portal.dumpTables());
    expect(kept).to.contain('canary');
    for (const secret of secrets) {
      expect(kept).not.to.contain(secret);
      expect(kept).not.to.contain(Buffer.from(secret).toString('base64url'));
    }
  });
});

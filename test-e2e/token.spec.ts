import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { everyTestAttacks } from '@tributary/testkit/attacks';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { createAdminClient } from '../deploy/demo/admin-client.ts';
import type { Demo, DemoTenant } from '../deploy/demo/demo-file.ts';
import { type Answer, call, purchase, tokenFor } from './calls.ts';
import { sharedDemo } from './shared-stack.ts';

type Pair = { accessKeyId: string; secretAccessKey: string };

describe('tokens through the edge (4.3, 5)', () => {
  everyTestAttacks('tokens');
  let demo: Demo;
  let tenant: DemoTenant;

  before(async function () {
    this.timeout(180_000);
    demo = await sharedDemo();
    tenant = demo.tenants[0]!;
  });

  const ask = (body: unknown, headers: Record<string, string> = {}) =>
    call(`${demo.baseUrl}/token`, { method: 'POST', body, headers });

  it('exchanges a pair for a token that opens events and look-ups, in any case of Bearer', async () => {
    const { accessKeyId, secretAccessKey } = tenant;
    const answer = await ask({ accessKeyId, secretAccessKey, more: 'ignored' });
    expect(answer.status).to.equal(201);
    expect(answer.headers.get('content-type')).to.match(/^application\/json/);
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    expect(answer.body).to.have.all.keys('accessToken', 'expiresIn');
    expect(answer.body).to.include({ expiresIn: 18_000 });
    const { accessToken } = answer.body as { accessToken: string };
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const headers = { authorization: `${scheme} ${accessToken}` };
      const url = `${demo.baseUrl}/referral-codes/${tenant.referrer.ucc}`;
      expect((await call(url, { headers })).status, scheme).to.equal(200);
    }
  });

  it('gives one 401 for an unknown id and a wrong secret of whatever length', async () => {
    const { accessKeyId, secretAccessKey } = tenant;
    const answers = await Promise.all(
      [
        { accessKeyId: randomUUID(), secretAccessKey },
        { accessKeyId, secretAccessKey: randomUUID() },
        { accessKeyId, secretAccessKey: 'x' },
        { accessKeyId, secretAccessKey: 'x'.repeat(10 * 1024) },
        // The product's id and secret are another pair (interface 4.3).
        { accessKeyId: tenant.productId, secretAccessKey: tenant.productSecret },
      ].map((pair) => ask(pair)),
    );
    for (const { status, headers, body } of answers) {
      expect(status).to.equal(401);
      expect(headers.get('content-type')).to.equal('application/problem+json');
      expect(headers.get('www-authenticate')).to.match(/^Bearer/);
      expect(withoutInstance(body)).to.deep.equal(withoutInstance(answers[0]!.body));
    }
  });

  it('refuses what is no pair: 422, 400, 415, 413, 405', async () => {
    const missing = await ask({ accessKeyId: 7 });
    expect(missing.status).to.equal(422);
    const { errors } = missing.body as { errors: { pointer: string; code: string }[] };
    expect(errors.map(({ pointer, code }) => [pointer, code])).to.deep.equal([
      ['/accessKeyId', 'INVALID_TYPE'],
      ['/secretAccessKey', 'REQUIRED'],
    ]);
    expect((await ask('{')).status).to.equal(400);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await ask('a=b', form)).status).to.equal(415);
    expect((await ask({ accessKeyId: 'x'.repeat(65_537) })).status).to.equal(413);
    const get = await call(`${demo.baseUrl}/token`);
    expect([get.status, get.headers.get('allow')]).to.deep.equal([405, 'POST']);
  });

  for (const path of ['/v1/token', '/v1/authentication/token', '/v1/events', '/token/', '/TOKEN']) {
    it(`has nothing at ${path}`, async () => {
      const { accessKeyId, secretAccessKey } = tenant;
      const body = { accessKeyId, secretAccessKey };
      const answer = await call(`${demo.baseUrl}${path}`, { method: 'POST', body });
      expect(answer.status).to.equal(404);
      expect(answer.body).to.include({ status: 404, code: 'NOT_FOUND' });
      expect(answer.headers.get('content-type')).to.equal('application/problem+json');
    });
  }

  it('takes nothing but one whole token for a token', async () => {
    const token = await tokenFor(demo, tenant);
    const [head, claims, signature] = token.split('.') as [string, string, string];
    const changed = JSON.parse(Buffer.from(claims, 'base64url').toString()) as object;
    const forged = base64url({ ...changed, tenantId: demo.tenants[1]!.tenantId });
    const unsigned = base64url({ alg: 'none', typ: 'JWT' });
    for (const authorization of [
      ...['', 'Bearer', 'Bearer ', `Basic ${token}`, token, `Bearer ${token} ${token}`],
      ...[`Bearer ${token},${token}`, `Bearer "${token}"`, `Bearer ${token}.${signature}`],
      ...[`Bearer ${head}.${forged}.${signature}`, `Bearer ${unsigned}.${claims}.`],
      ...[`Bearer ${unsigned}.${claims}.${signature}`, `Bearer ${'a'.repeat(12_000)}`],
      `Bearer ${head}.${'a'.repeat(12_000)}.${signature}`,
    ]) {
      for (const answer of await everywhere({ authorization })) {
        expect(answer.status, authorization.slice(0, 60)).to.equal(401);
        expect(answer.headers.get('www-authenticate')).to.match(/^Bearer/);
      }
    }
  });

  it('does not choose between two Authorization headers', async () => {
    const token = `Bearer ${await tokenFor(demo, tenant)}`;
    const { hostname, port } = new URL(demo.baseUrl);
    const path = `/referral-codes/${tenant.referrer.ucc}`;
    for (const authorization of [
      [token, token],
      [token, 'Bearer x'],
      ['Bearer x', token],
    ]) {
      const headers = { authorization } as unknown as Record<string, string>;
      const req = request({ hostname, port, path, headers, agent: false }).end();
      const [res] = (await once(req, 'response')) as [IncomingMessage];
      res.resume();
      expect(res.statusCode).to.be.oneOf([400, 401]);
      expect(res.headers['content-type']).to.equal('application/problem+json');
    }
  });

  it('ends with its access key: within seconds no new token, and the old one opens nothing', async () => {
    const admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
    const keys = `/api/tenants/${tenant.tenantId}/access-keys`;
    const pair = await admin.call<Pair>('POST', keys, {});
    const token = await eventually(async () => tokenFor(demo, { ...tenant, ...pair }));
    const authorization = `Bearer ${token}`;
    await eventually(async () => {
      const statuses = (await everywhere({ authorization })).map(({ status }) => status);
      expect(statuses).to.deep.equal([202, 404, 404, 200]);
    });

    await admin.call('DELETE', `${keys}/${pair.accessKeyId}`);
    const revokedAt = performance.now();
    await eventually(
      async () => {
        expect((await ask(pair)).status).to.equal(401);
        const statuses = (await everywhere({ authorization })).map(({ status }) => status);
        expect(statuses).to.deep.equal([401, 401, 401, 401]);
      },
      { deadlineMs: 60_000 },
    );
    console.log(`      revoked everywhere after ${Math.round(performance.now() - revokedAt)} ms`);
    const [revoked, unknown] = [await ask(pair), await ask({ ...pair, accessKeyId: 'unknown' })];
    expect(withoutInstance(revoked.body)).to.deep.equal(withoutInstance(unknown.body));
    // Another key of the same tenant lives on.
    await tokenFor(demo, tenant);
  }).timeout(90_000);

  /** A v2 event, a look-up, an active link and a legacy event, each with these credentials. */
  function everywhere(headers: { authorization: string }): Promise<Answer[]> {
    const { baseUrl } = demo;
    const event = purchase(tenant, randomUUID(), { ucc: 'nobodys' });
    const payload = { ucc: 'nobodys', newUserId: randomUUID(), price: 0, currency: '' };
    const legacy = { eventName: 'ReferralUpdated', payload, context: {} };
    return Promise.all([
      call(`${baseUrl}/v2/events/purchase-created`, { method: 'POST', headers, body: event }),
      call(`${baseUrl}/referral-codes/nobodys`, { headers }),
      call(`${baseUrl}/referral-codes/active-link/nobody`, { headers }),
      call(`${baseUrl}/events`, { method: 'POST', headers, body: legacy }),
    ]);
  }
});

function withoutInstance(body: unknown): object {
  const { instance: _, ...rest } = body as { instance?: string };
  return rest;
}

function base64url(json: object): string {
  return Buffer.from(JSON.stringify(json)).toString('base64url');
}

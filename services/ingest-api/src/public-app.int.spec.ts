import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { expect } from 'chai';
import {
  createIngestFixture,
  type IngestFixture,
  type IngestProcess,
  purchase,
  tenantA,
  tenantB,
} from './testing/ingest-fixture.ts';

describe('ingest-api: routes and refusals (interface 4, 7, design 8)', () => {
  let database: TestDatabase;
  let fixture: IngestFixture;
  let api: IngestProcess;
  let token: string;

  before(async () => {
    const servers = await getServers();
    database = await createDatabase();
    fixture = await createIngestFixture({ ...servers, postgresUrl: database.url });
    api = await fixture.start();
    token = await api.token(tenantA);
  });

  after(async () => {
    await api?.stop();
    await fixture?.stop();
    await database?.drop();
  });

  async function ask(method: string, path: string, init: RequestInit = {}) {
    const answer = await fetch(`${api.url}${path}`, { method, ...init });
    const text = await answer.text();
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    return { status: answer.status, headers: answer.headers, body };
  }

  const event = '/v2/events/purchase-created';
  const json = { 'content-type': 'application/json' };

  it('gives a token for a right pair and one 401 for everything else (4.3)', async () => {
    const right = await api.post('/token', { ...tenantA, unknown: 'ignored' });
    expect(right.status).to.equal(201);
    expect(await right.json()).to.include({ expiresIn: 18_000 });

    const wrongSecret = await ask('POST', '/token', {
      headers: json,
      body: JSON.stringify({ ...tenantA, secretAccessKey: 'wrong' }),
    });
    const unknownId = await ask('POST', '/token', {
      headers: json,
      body: JSON.stringify({ ...tenantA, accessKeyId: 'unknown' }),
    });
    expect([wrongSecret.status, unknownId.status]).to.eql([401, 401]);
    expect({ ...wrongSecret.body, instance: '' }).to.eql({ ...unknownId.body, instance: '' });
    const badShape = await ask('POST', '/token', { headers: json, body: '{"accessKeyId":1}' });
    expect(badShape.status).to.equal(422);
  });

  it('has nothing at the wrong paths of interface 4.3 and 4.4', async () => {
    for (const path of ['/v1/token', '/v1/authentication/token', '/v1/events', '/', '/token/']) {
      const { status, body } = await ask('POST', path, { headers: json, body: '{}' });
      expect(status, path).to.equal(404);
      expect(body['code'], path).to.equal('NOT_FOUND');
    }
  });

  it('answers in the precedence of design 8', async () => {
    const bearer = { authorization: token };
    const huge = 'x'.repeat(65 * 1024);
    const cases: [number, string, string, string, RequestInit][] = [
      [401, 'UNAUTHORIZED', 'DELETE', '/v2/events/unknown', {}],
      [401, 'UNAUTHORIZED', 'POST', event, { headers: { authorization: 'Bearer x' }, body: huge }],
      [404, 'UNKNOWN_EVENT_TYPE', 'DELETE', '/v2/events/unknown', { headers: bearer }],
      [404, 'UNKNOWN_EVENT_TYPE', 'POST', '/v2/events/__proto__', { headers: bearer }],
      [404, 'UNKNOWN_EVENT_TYPE', 'GET', '/v2/events/', { headers: bearer }],
      [404, 'UNKNOWN_EVENT_TYPE', 'GET', '/v2', { headers: bearer }],
      [405, 'UNKNOWN_EVENT_TYPE', 'PUT', event, { headers: bearer, body: huge }],
      [415, 'MALFORMED_JSON', 'POST', event, { headers: bearer, body: huge }],
      [
        415,
        'MALFORMED_JSON',
        'POST',
        event,
        { headers: { ...bearer, ...json, 'content-encoding': 'gzip' }, body: huge },
      ],
      [413, 'PAYLOAD_TOO_LARGE', 'POST', event, { headers: { ...bearer, ...json }, body: huge }],
      [400, 'MALFORMED_JSON', 'POST', event, { headers: { ...bearer, ...json }, body: '{' }],
      [400, 'MALFORMED_JSON', 'POST', event, { headers: { ...bearer, ...json }, body: '' }],
      [
        422,
        'VALIDATION_ERROR',
        'POST',
        event,
        { headers: { ...bearer, ...json, 'idempotency-key': 'a' }, body: '{"idempotencyKey":"b"}' },
      ],
      [
        422,
        'VALIDATION_ERROR',
        'POST',
        event,
        {
          headers: { ...bearer, ...json, 'idempotency-key': ' ' },
          body: JSON.stringify(purchase()),
        },
      ],
    ];
    for (const [status, code, method, path, init] of cases) {
      const answer = await ask(method, path, init);
      expect([answer.status, answer.body['code']], `${method} ${path}`).to.eql([status, code]);
      expect(answer.headers.get('content-type')).to.equal('application/problem+json');
      expect(answer.body['status']).to.equal(status);
      expect(answer.body['instance']).to.equal(answer.headers.get('x-request-id'));
      if (status === 401) expect(answer.headers.get('www-authenticate')).to.equal('Bearer');
      if (status === 405) expect(answer.headers.get('allow')).to.equal('POST');
    }
  });

  it('blames the header, not the body, for a header key that breaks its rule', async () => {
    const headers = { ...json, authorization: token, 'idempotency-key': ' ' };
    const answer = await ask('POST', event, { headers, body: JSON.stringify(purchase()) });
    expect(answer.status).to.equal(422);
    expect(answer.body['detail']).to.equal('The request breaks 1 rule of the contract.');
    expect(answer.body).to.have.nested.property('errors[0].pointer', '/idempotencyKey');
  });

  it('finds a published code within a second, and only for its own tenant (4.5)', async () => {
    const code = {
      schemaVersion: 1 as const,
      type: 'code-issued' as const,
      tenantId: 'a',
      ucc: 'käse/2 €',
      version: 1,
      campaignId: 'c1',
      productUserId: 'referrer-1',
      at: new Date().toISOString(),
    };
    const path = `/referral-codes/${encodeURIComponent(code.ucc)}`;
    const get = (authorization: string) => ask('GET', path, { headers: { authorization } });
    // The first assignment of a new consumer group takes seconds; only then the second counts.
    await fixture.publishCode({ ...code, ucc: 'earlier' });
    await eventually(
      async () => {
        const earlier = await ask('GET', '/referral-codes/earlier', {
          headers: { authorization: token },
        });
        expect(earlier.status).to.equal(200);
      },
      { deadlineMs: 30_000 },
    );

    expect((await get(token)).status).to.equal(404);
    await fixture.publishCode(code);
    await eventually(async () => expect((await get(token)).status).to.equal(200), {
      deadlineMs: 1_000,
    });
    expect((await get(token)).body).to.eql({
      code: code.ucc,
      valid: true,
      productUserId: 'referrer-1',
      campaignId: 'c1',
    });
    expect((await get(await api.token(tenantB))).status).to.equal(404);
    expect((await ask('GET', path)).status).to.equal(401);

    await fixture.publishCode({ ...code, type: 'code-disabled', version: 2 });
    await eventually(async () => expect((await get(token)).body['valid']).to.equal(false));
    await fixture.publishCode({ ...code, version: 1 });
    await fixture.publishCode({ ...code, ucc: 'marker' });
    await eventually(async () => {
      const marker = await ask('GET', '/referral-codes/marker', {
        headers: { authorization: token },
      });
      expect(marker.status).to.equal(200);
    });
    expect((await get(token)).body['valid'], 'a stale record revives nothing').to.equal(false);
  });

  it('answers weird code paths with 404, never 5xx', async () => {
    for (const segment of [
      '',
      '%00',
      '..%2f',
      '%',
      '%ff',
      'a/b',
      'x'.repeat(300),
      '%F0%9F%98%80',
    ]) {
      const { status } = await ask('GET', `/referral-codes/${segment}`, {
        headers: { authorization: token },
      });
      expect(status, segment).to.equal(404);
    }
  });

  it('takes a token of another environment or signature for none', async () => {
    const prod = await fixture.start({ environment: 'prod' });
    try {
      const { status } = await prod.purchase(token, purchase());
      expect(status).to.equal(401);
    } finally {
      await prod.stop();
    }
  });
});

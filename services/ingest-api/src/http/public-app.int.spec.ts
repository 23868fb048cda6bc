import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { getServers } from '@tributary/testkit/servers';
import { expect } from 'chai';
import {
  createIngestFixture,
  type IngestFixture,
  type IngestProcess,
  purchase,
  tenantA,
} from '../testing/ingest-fixture.ts';

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

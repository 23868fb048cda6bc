import { connect } from 'node:net';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import {
  operatorToken,
  secondOperatorToken,
  startTestPortal,
  type TestPortal,
} from '../testing/test-portal.ts';

/** A member of a group may have to wait for a rebalance. */
const slowJoin = { deadlineMs: 30_000 };

describe('portal: the edge of the admin API', () => {
  let portal: TestPortal;
  before(async () => {
    portal = await startTestPortal({ environment: 'prod' });
  });
  after(() => portal.stop());

  const ask = async (path: string, init: RequestInit & { token?: string | null } = {}) => {
    const { token = operatorToken, ...rest } = init;
    const headers = new Headers(rest.headers);
    if (token !== null) headers.set('authorization', `Bearer ${token}`);
    const response = await fetch(`${portal.baseUrl}${path}`, { ...rest, headers });
    const body = (await response.json()) as Record<string, unknown>;
    return { status: response.status, body, headers: response.headers };
  };
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
    ask('/api/tenants', { method: 'POST', body, headers });
  const json = { 'content-type': 'application/json' };

  it('opens to each of the operator tokens', async () => {
    expect((await ask('/api/tenants')).status).to.equal(200);
    expect((await ask('/api/tenants', { token: secondOperatorToken })).status).to.equal(200);
  });

  it('answers 401 to anything else, before it looks at path or body', async () => {
    const joined = `${operatorToken},${secondOperatorToken}`;
    for (const token of [null, '', 'wrong', operatorToken.slice(1), joined]) {
      for (const path of ['/api/tenants', '/api/nothing', '/api']) {
        const { status, body, headers } = await ask(path, { token });
        expect([status, body['code']]).to.deep.equal([401, 'UNAUTHORIZED']);
        expect(headers.get('www-authenticate')).to.equal('Bearer');
        expect(headers.get('content-type')).to.match(/^application\/problem\+json/);
      }
    }
  });

  it('answers a problem 404 to what it does not have', async () => {
    for (const path of ['/nothing', '/api', '/api/', '/api/tenants/', '/API/tenants']) {
      const { status, body } = await ask(path);
      expect([status, body['code']], path).to.deep.equal([404, 'NOT_FOUND']);
    }
  });

  it('answers 405 with what is allowed to another method', async () => {
    for (const [method, path, allow] of [
      ['DELETE', '/api/tenants', 'GET, POST'],
      ['OPTIONS', '/api/tenants', 'GET, POST'],
      ['POST', '/api/tenants/t1/campaigns/c1', 'GET, PUT'],
      ['PUT', '/api/tenants/t1/codes', 'GET, POST'],
    ] as const) {
      const { status, headers } = await ask(path, { method });
      expect(status, `${method} ${path}`).to.equal(405);
      expect(headers.get('allow')).to.equal(allow);
    }
  });

  it('answers 415 to a body that is not said to be JSON in UTF-8', async () => {
    const body = '{"name":"Acme"}';
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/json; charset=latin1' },
      { ...json, 'content-encoding': 'gzip' },
      { ...json, 'content-encoding': 'identity' },
    ]) {
      const answer = await post(body, headers);
      expect([answer.status, answer.body['code']]).to.deep.equal([415, 'MALFORMED_JSON']);
    }
    const accepted = await post(body, { 'content-type': 'Application/JSON; charset="UTF-8"' });
    expect(accepted.status).to.equal(201);
  });

  it('answers 413 beyond 64 KiB', async () => {
    const answer = await post(JSON.stringify({ name: 'a'.repeat(65_536) }), json);
    expect([answer.status, answer.body['code']]).to.deep.equal([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('answers 400 to what is not JSON, and 422 to JSON of another shape', async () => {
    const notUtf8 = new Uint8Array([0x22, 0xff, 0x22]);
    for (const body of ['', '{', '{"name":"a","name":"b"}', notUtf8]) {
      const answer = await post(body, json);
      expect([answer.status, answer.body['code']]).to.deep.equal([400, 'MALFORMED_JSON']);
    }
    for (const body of ['[]', 'null', '{}', '{"name":"a","__proto__":{}}']) {
      const answer = await post(body, json);
      expect([answer.status, answer.body['code']], body).to.deep.equal([422, 'VALIDATION_ERROR']);
    }
  });

  it('names each request, so that support finds it', async () => {
    const { body, headers } = await ask('/api/nothing');
    const requestId = headers.get('x-request-id');
    expect(requestId).to.match(/^[\w.:-]{8,}$/);
    expect(body['instance']).to.contain(requestId);
  });

  it('demands https addresses in production', async () => {
    await post(JSON.stringify({ name: 'Acme', tenantId: 'secure' }), json);
    const answer = await ask('/api/tenants/secure/webhook', {
      method: 'PUT',
      headers: json,
      body: JSON.stringify({ url: 'http://example.com/' }),
    });
    expect(answer.status).to.equal(422);
  });

  it('lives through a client that leaves in the middle of its body', async () => {
    const { port } = new URL(portal.baseUrl);
    await new Promise<void>((closed) => {
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write(
          `POST /api/tenants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${operatorToken}\r\n` +
            'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"na',
          () => socket.destroy(),
        );
      });
      socket.on('close', () => closed());
    });
    expect((await ask('/api/tenants')).status).to.equal(200);
  });

  it('tells on the internal listener how it is', async () => {
    // The read model joins its group in the background; until then the portal is not ready.
    const text = await eventually(async () => {
      const ready = await fetch(`${portal.adminUrl}/readyz?all`);
      const state = JSON.stringify(await ready.json());
      expect(ready.status, state).to.equal(200);
      return state;
    }, slowJoin);
    for (const name of ['kafka', 'outbox', 'postgres']) expect(text).to.contain(name);
    expect((await fetch(`${portal.adminUrl}/healthz`)).status).to.equal(200);
    expect(await (await fetch(`${portal.adminUrl}/metrics`)).text()).to.contain('process_cpu');
    expect((await fetch(`${portal.adminUrl}/api/tenants`)).status).to.equal(404);
  });
});

import { createLogger, type LogFields } from '@tributary/runtime/logger';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { createAdminApp } from './admin-listener.ts';
import { createInternalRouter, type InternalRoute } from './internal-router.ts';
import { createRegistry } from './metrics.ts';
import type { Listener } from './server.ts';
import { serve } from './testing.ts';

const token = 'test-internal-token';

describe('internal router', () => {
  let listener: Listener;
  const logged: LogFields[] = [];
  const held = Promise.withResolvers<void>();

  before(async () => {
    const silent = createLogger({ service: 'demo', level: 'silent' });
    const logger = { ...silent, error: (_: string, fields?: LogFields) => note(fields) };
    const note = (fields: LogFields = {}) => void logged.push(fields);
    const echo: InternalRoute = {
      method: 'POST',
      path: '/things/:id/echo',
      answer: ({ param, query, json }) =>
        Promise.resolve({
          status: 201,
          body: { id: param('id'), none: param('none'), also: query.get('also'), json },
        }),
    };
    const failing = (path: string, error: Error): InternalRoute => ({
      method: 'GET',
      path,
      answer: () => Promise.reject(error),
    });
    const router = createInternalRouter(
      [
        echo,
        {
          method: 'GET',
          path: '/taken',
          answer: () => Promise.resolve({ problem: 'CONFLICT', detail: 'It is taken.' }),
        },
        {
          method: 'GET',
          path: '/slow',
          atOnce: 1,
          answer: () => held.promise.then(() => ({ status: 200, body: {} })),
        },
        failing('/busy', Object.assign(new Error('lock timeout'), { code: '55P03' })),
        failing('/broken', new Error('a secret cause')),
      ],
      { logger },
    );
    const registry = createRegistry('demo');
    const internal = { tokens: [token], router };
    listener = await serve(createAdminApp({ service: 'demo', registry, checks: {}, internal }));
  });
  after(() => listener.stop());

  const ask = async (path: string, init: RequestInit = {}, bearer = token) => {
    const answer = await fetch(`http://127.0.0.1:${listener.port}/internal${path}`, {
      ...init,
      headers: { authorization: `Bearer ${bearer}` },
    });
    const body = (await answer.json()) as Record<string, unknown>;
    return { status: answer.status, body };
  };
  const post = (body: string | null) => ask('/things/a%2Fb/echo?also=c', { method: 'POST', body });

  it('hands parameters, query and body to the route, and its answer back', async () => {
    expect(await post('{"n": 1}')).to.deep.equal({
      status: 201,
      body: { id: 'a/b', none: '', also: 'c', json: { n: 1 } },
    });
    expect((await post(null)).body).to.not.have.property('json');
    const large = JSON.stringify('x'.repeat(1_000_000));
    expect((await post(large)).status).to.equal(201);
  });

  it('answers with the problem that a route names', async () => {
    const { status, body } = await ask('/taken');
    expect(status).to.equal(409);
    expect(body).to.include({ code: 'CONFLICT', detail: 'It is taken.' });
  });

  it('refuses a body that is no JSON, another path and another token', async () => {
    expect((await post('{')).body).to.include({ code: 'MALFORMED_JSON' });
    expect((await ask('/else')).status).to.equal(404);
    const undecodable = await ask('/things/%E0%A4%A/echo', { method: 'POST' });
    expect(undecodable.body).to.include({ code: 'NOT_FOUND' });
    expect((await ask('/taken', {}, 'another-internal-token')).status).to.equal(401);
  });

  it('refuses more at once than a route takes, and takes the next one after', async () => {
    const first = ask('/slow');
    await eventually(async () => expect((await ask('/slow')).status).to.equal(503));
    held.resolve();
    expect((await first).status).to.equal(200);
    expect((await ask('/slow')).status).to.equal(200);
  });

  it('says 503 when the database is busy, and 500 without a cause for all else', async () => {
    expect((await ask('/busy')).status).to.equal(503);
    const { status, body } = await ask('/broken');
    expect([status, body['code']]).to.deep.equal([500, 'INTERNAL_ERROR']);
    expect(JSON.stringify(body)).to.not.include('secret cause');
    expect(logged).to.have.length(1);
    expect(logged[0]).to.include({ requestId: body['instance'] });
    expect(logged[0]).to.have.nested.property('error.message', 'a secret cause');
  });
});

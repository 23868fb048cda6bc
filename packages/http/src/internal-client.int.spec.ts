import { createLogger } from '@tributary/runtime/logger';
import { expect } from 'chai';
import express from 'express';
import { createAdminApp } from './admin-listener.ts';
import { createInternalClient } from './internal-client.ts';
import { createRegistry } from './metrics.ts';
import { sendJson, sendProblem } from './problem-response.ts';
import { requestIdOf } from './request-id.ts';
import type { Listener } from './server.ts';
import { serve } from './testing.ts';

describe('internal client', () => {
  let listener: Listener;
  let rotated = 'the-first-internal-token';

  before(async () => {
    const router = express.Router();
    router.post('/things/:id/fine', (req, res) =>
      sendJson(res, 201, { id: req.params.id, requestId: requestIdOf(res) }),
    );
    router.get('/things/:id', (req, res) =>
      sendJson(res, 200, { url: req.originalUrl, requestId: requestIdOf(res) }),
    );
    router.post('/things/:id/taken', (_req, res) =>
      sendProblem(res, 'CONFLICT', { detail: 'It is taken.' }),
    );
    router.post('/things/:id/broken', (_req, res) => sendProblem(res, 'INTERNAL_ERROR'));
    router.post('/things/:id/not-now', (_req, res) =>
      sendProblem(res, 'SERVICE_UNAVAILABLE', { detail: 'It reads the log.' }),
    );
    router.post('/things/:id/slow', () => undefined);
    const tokens = ['the-second-internal-token', 'the-first-internal-token'];
    const checks = {};
    const registry = createRegistry('demo');
    const app = createAdminApp({ service: 'demo', registry, checks, internal: { tokens, router } });
    listener = await serve(app);
  });
  afterEach(() => (rotated = 'the-first-internal-token'));
  after(() => listener.stop());

  const client = (timeoutMs = 5_000) =>
    createInternalClient({
      service: 'demo',
      baseUrl: `http://127.0.0.1:${listener.port}/`,
      token: rotated,
      logger: createLogger({ service: 'test', level: 'silent' }),
      timeoutMs,
    });

  it('gives the answer, with encoded segments and the id of the request', async () => {
    const answer = await client().post(['things', 'a/b c', 'fine'], {}, { requestId: 'r-1' });
    expect(answer).to.deep.equal({
      outcome: 'answered',
      status: 201,
      body: { id: 'a/b c', requestId: 'r-1' },
    });
  });

  it('reads too, with an encoded query of what is given', async () => {
    const query = { kind: 'a&b', limit: 5, after: undefined };
    expect(await client().get(['things', 'a/b'], query, { requestId: 'r-2' })).to.deep.equal({
      outcome: 'answered',
      status: 200,
      body: { url: '/internal/things/a%2Fb?kind=a%26b&limit=5', requestId: 'r-2' },
    });
    const bare = await client().get(['things', '1']);
    expect(bare).to.have.nested.property('body.url', '/internal/things/1');
    expect(await client().get(['nowhere'])).to.have.nested.property('problem.code', 'NOT_FOUND');
  });

  it('asks for what is named, also when the name is a step in a path', async () => {
    const answer = await client().post(['things', '..', 'fine'], {});
    expect(answer).to.have.nested.property('body.id', '%2E%2E');
  });

  it('hands on what the other service refused', async () => {
    const answer = await client().post(['things', '1', 'taken'], {});
    expect(answer).to.have.nested.property('problem.code', 'CONFLICT');
    expect(answer).to.have.nested.property('problem.detail', 'It is taken.');
  });

  it('is unavailable in the words of a service that says why it is', async () => {
    expect(await client().post(['things', '1', 'not-now'], {})).to.deep.equal({
      outcome: 'unavailable',
      detail: 'It reads the log.',
    });
  });

  it('is unavailable when the other fails, is late, is gone or knows another token', async () => {
    const answers = [
      await client().post(['things', '1', 'broken'], {}),
      await client(50).post(['things', '1', 'slow'], {}),
      await createInternalClient({
        service: 'demo',
        baseUrl: 'http://127.0.0.1:1',
        token: rotated,
        logger: createLogger({ service: 'test', level: 'silent' }),
      }).post(['x'], {}),
    ];
    rotated = 'some-token-that-is-unknown';
    answers.push(await client().post(['things', '1', 'fine'], {}));
    for (const answer of answers) {
      expect(answer).to.deep.equal({
        outcome: 'unavailable',
        detail: 'demo is not reachable now; try again.',
      });
    }
  });
});

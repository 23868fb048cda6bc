import { expect } from 'chai';
import { type ProblemCode, problemCatalogue } from '@tributary/contracts/problem';
import { sendJson, sendProblem, type ProblemAnswer } from './problem-response.ts';
import { assignRequestId } from './request-id.ts';
import type { App, Listener } from './server.ts';
import { serve } from './testing.ts';

describe('problem answers (interface 2.8)', () => {
  let listener: Listener;
  let app: App;

  before(async () => {
    listener = await serve((req, res) => app(req, res));
  });
  after(() => listener.stop());

  const ask = (given: App, init: RequestInit = {}) => {
    app = given;
    return fetch(`http://127.0.0.1:${listener.port}/`, init);
  };
  const askProblem = (code: ProblemCode, about: ProblemAnswer = {}) =>
    ask((_req, res) => sendProblem(res, code, about));

  it('carry the status, type and title of their code as application/problem+json', async () => {
    for (const [code, { status, title, type }] of Object.entries(problemCatalogue)) {
      const answer = await askProblem(code as ProblemCode);
      expect(answer.status, code).to.equal(status);
      expect(answer.headers.get('content-type')).to.equal('application/problem+json');
      const body = (await answer.json()) as Record<string, unknown>;
      expect(body).to.include({ code, status, title, type });
      expect(Object.keys(body)).to.have.members(['type', 'title', 'status', 'detail', 'code']);
    }
  });

  it('carry detail, violations and the request id as instance', async () => {
    const errors = [{ pointer: '/ucc', code: 'REQUIRED', detail: 'is missing' }] as const;
    const answer = await ask((req, res) => {
      assignRequestId(req, res);
      sendProblem(res, 'VALIDATION_ERROR', { detail: 'no', errors });
    });
    const requestId = answer.headers.get('x-request-id');
    expect(requestId).to.match(/^[0-9a-f-]{36}$/);
    expect(await answer.json()).to.deep.include({ detail: 'no', errors, instance: requestId });
  });

  it('say how to authenticate with a 401', async () => {
    const answer = await askProblem('UNAUTHORIZED');
    expect(answer.headers.get('www-authenticate')).to.equal('Bearer');
  });

  it('say when to come back with a 503', async () => {
    const soon = await askProblem('SERVICE_UNAVAILABLE');
    expect(soon.headers.get('retry-after')).to.equal('1');
    const later = await askProblem('SERVICE_UNAVAILABLE', { retryAfterSeconds: 30 });
    expect(later.headers.get('retry-after')).to.equal('30');
  });

  it('name the methods of a path and become 405 when another was used (design 8)', async () => {
    const answer = await askProblem('UNKNOWN_EVENT_TYPE', { allow: 'POST' });
    expect(answer.status).to.equal(405);
    expect(answer.headers.get('allow')).to.equal('POST');
    expect(await answer.json()).to.include({ status: 405, code: 'UNKNOWN_EVENT_TYPE' });
  });

  it('speak of the method as 405, in the title that the code always has (2.8)', async () => {
    for (const code of ['UNKNOWN_EVENT_TYPE', 'NOT_FOUND'] as const) {
      const missing = (await (await askProblem(code)).json()) as Record<string, string>;
      const answer = await askProblem(code, { allow: 'GET, HEAD' });
      const other = (await answer.json()) as Record<string, string>;
      expect(other['title']).to.contain('method').and.to.equal(missing['title']);
      expect(other['detail']).to.equal('This path allows only GET, HEAD.');
    }
  });

  it('take the second status of a code (design 8, 415)', async () => {
    const answer = await askProblem('MALFORMED_JSON', { status: 415 });
    expect(answer.status).to.equal(415);
    expect(await answer.json()).to.include({ status: 415 });
  });

  it('have the length of their bytes, not of their characters', async () => {
    const answer = await ask((_req, res) => sendJson(res, 200, { text: 'größer' }));
    expect(await answer.json()).to.deep.equal({ text: 'größer' });
    expect(answer.headers.get('content-length')).to.equal('19');
  });

  it('never become the second half of another answer', async () => {
    const broken = ask((_req, res) => {
      res.writeHead(200, { 'Content-Length': 100 });
      res.write('half', () => sendProblem(res, 'INTERNAL_ERROR'));
    }).then((answer) => answer.text());
    expect(await broken.catch(() => 'failed')).to.equal('failed');
  });

  it('keep the id that the edge has given, unless its form is odd', async () => {
    const idFor = async (offered: string) => {
      const answer = await ask(
        (req, res) => sendJson(res, 200, { requestId: assignRequestId(req, res) }),
        { headers: { 'X-Request-Id': offered } },
      );
      const { requestId } = (await answer.json()) as { requestId: string };
      expect(answer.headers.get('x-request-id')).to.equal(requestId);
      return requestId;
    };
    expect(await idFor('edge-1')).to.equal('edge-1');
    for (const odd of ['<script>', 'x'.repeat(129), 'a b']) {
      expect(await idFor(odd)).to.match(/^[0-9a-f-]{36}$/);
    }
  });
});

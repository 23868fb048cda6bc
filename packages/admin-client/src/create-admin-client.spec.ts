import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { createAdminClient, urlOf } from './create-admin-client.ts';
import { ProblemError } from './problem-error.ts';

describe('the client of the admin API', () => {
  let server: Server;
  let base: string;
  let answer: { status: number; headers?: Record<string, string>; body: string };
  const seen: { req: IncomingMessage; body: string }[] = [];

  before(async () => {
    server = createServer((req, res) => {
      let body = '';
      req.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      req.on('end', () => {
        seen.push({ req, body });
        res.writeHead(answer.status, answer.headers).end(answer.body);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  const client = createAdminClient({ send: (url, init) => fetch(base + url, init) });

  it('fills the path, leaves out what is not asked for, and gives back the answer', async () => {
    answer = { status: 200, body: '{"rewards":[],"nextCursor":null,"asOf":null}' };
    const query = { state: 'review' as const, limit: 10 };
    const found = await client.call('listRewards', { path: { tenantId: 'a/b' }, query });
    expect(found.rewards).to.deep.equal([]);
    expect(seen.at(-1)!.req.url).to.equal('/api/tenants/a%2Fb/rewards?state=review&limit=10');
    expect(urlOf('listRewards', { path: { tenantId: 'a' }, query: { state: undefined } })).to.equal(
      '/api/tenants/a/rewards',
    );
  });

  it('sends a body as JSON', async () => {
    answer = { status: 200, body: '{}' };
    const path = { tenantId: 'a', rewardId: 'r' };
    await client.call('releaseReward', { path, body: { note: 'é' } });
    const { req, body } = seen.at(-1)!;
    expect(req.method).to.equal('POST');
    expect(req.headers['content-type']).to.equal('application/json');
    expect(JSON.parse(body)).to.deep.equal({ note: 'é' });
  });

  it('throws a refusal with its problem document', async () => {
    const problem = { code: 'CONFLICT', title: 'No', status: 409, detail: 'nothing to release' };
    answer = { status: 409, headers: { 'retry-after': '3' }, body: JSON.stringify(problem) };
    const error = await refusal();
    expect(error.message).to.equal('nothing to release');
    expect(error.problem).to.deep.equal({ ...problem, retryAfterSeconds: 3 });
  });

  it('knows the status alone of an answer that is no problem document', async () => {
    answer = { status: 502, body: '<html>' };
    expect((await refusal()).problem).to.include({ status: 502, code: 'UNKNOWN' });
  });

  async function refusal(): Promise<ProblemError> {
    try {
      await client.call('showSession', {});
    } catch (error) {
      if (error instanceof ProblemError) return error;
      throw error;
    }
    throw new Error('it was no refusal');
  }
});

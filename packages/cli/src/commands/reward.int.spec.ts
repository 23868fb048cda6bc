import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runTributary } from '../run-tributary.ts';

describe('tributary reward', () => {
  let api: Server;
  let requests: string[];
  let answer: object;

  before(async () => {
    api = createServer((req, res) => {
      let body = '';
      req.on('data', (chunk: Buffer) => (body += chunk.toString()));
      req.on('end', () => {
        requests.push(`${req.method} ${req.url} ${body}`);
        res.writeHead(200, { 'content-type': 'application/json' });
        res.end(JSON.stringify(answer));
      });
    });
    api.listen(0, '127.0.0.1');
    await once(api, 'listening');
  });
  beforeEach(() => {
    requests = [];
    answer = { rewardId: 'r1', action: 'released' };
  });
  after(() => api.close());

  async function run(...argv: string[]) {
    const printed = { out: '', err: '' };
    const { port } = api.address() as AddressInfo;
    const code = await runTributary({
      argv: ['reward', ...argv],
      env: { TRIBUTARY_ADMIN_URL: `http://127.0.0.1:${port}`, TRIBUTARY_ADMIN_TOKEN: 'token' },
      cwd: '/',
      input: (async function* () {})(),
      out: (text) => void (printed.out += text),
      err: (text) => void (printed.err += text),
    });
    return { code, ...printed };
  }

  const who = ['--tenant', 'acme', '--by', 'ops'];

  it('releases or withholds one, with the name of who says so', async () => {
    expect((await run('release', 'r1', ...who)).out).to.match(/^Reward released\n.*rewardId +r1/);
    await run('withhold', 'r1', ...who, '--note', 'looks odd');
    expect(requests).to.deep.equal([
      'POST /api/tenants/acme/rewards/r1/release {"by":"ops"}',
      'POST /api/tenants/acme/rewards/r1/withhold {"by":"ops","note":"looks odd"}',
    ]);
  });

  it('releases all in review that a filter names, and says when there are more', async () => {
    answer = { released: 500, more: true };
    const { out } = await run('release', ...who, '--all-in-review', '--campaign', 'spring');
    expect(out).to.match(/^Released; there are more, say it again\n.*500/);
    expect(requests).to.deep.equal([
      'POST /api/tenants/acme/rewards/release {"by":"ops","filter":{"state":"review","campaignId":"spring"}}',
    ]);
  });

  it('sends nothing when it is not clear what is meant', async () => {
    const lines = [
      ['release', ...who],
      ['release', 'r1', ...who, '--all-in-review'],
      ['release', 'r1', ...who, '--campaign', 'spring'],
      ['release', ...who, '--until', '2026-01-01T00:00:00Z'],
      ['release', 'r1', '--by', 'ops'],
      ['withhold', ...who],
    ];
    for (const line of lines) expect((await run(...line)).code, line.join(' ')).to.equal(2);
    expect(requests).to.deep.equal([]);
  });
});

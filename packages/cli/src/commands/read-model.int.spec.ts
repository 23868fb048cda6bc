import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runTributary } from '../run-tributary.ts';

describe('tributary explain, event list, reward list and balance', () => {
  let api: Server;
  let requests: string[];
  let answer: object;

  before(async () => {
    api = createServer((req, res) => {
      requests.push(`${req.method} ${req.url}`);
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify(answer));
    });
    api.listen(0, '127.0.0.1');
    await once(api, 'listening');
  });
  beforeEach(() => {
    requests = [];
  });
  after(() => api.close());

  async function run(...argv: string[]) {
    const printed = { out: '', err: '' };
    const { port } = api.address() as AddressInfo;
    const code = await runTributary({
      argv,
      env: { TRIBUTARY_ADMIN_URL: `http://127.0.0.1:${port}`, TRIBUTARY_ADMIN_TOKEN: 'token' },
      cwd: '/',
      input: (async function* () {})(),
      out: (text) => void (printed.out += text),
      err: (text) => void (printed.err += text),
    });
    return { code, ...printed };
  }

  it('explains an event or a reward without a tenant, an invoice or a user within one', async () => {
    answer = { text: 'Event e-1\n  It \u001b[31mhappened.', asOf: '2026-03-01T12:00:00.000Z' };
    const { out } = await run('explain', 'e-1');
    expect(out).to.equal('Event e-1\n  It \ufffd[31mhappened.\n\nAs of 2026-03-01T12:00:00.000Z.');
    await run('explain', '--reward', 'r/1');
    await run('explain', '--invoice', 'inv 1&2', '--tenant', 'acme');
    await run('explain', '--user', 'ada', '--tenant', 'acme');
    expect(requests).to.deep.equal([
      'GET /api/explain?event=e-1',
      'GET /api/explain?reward=r%2F1',
      'GET /api/tenants/acme/explain?invoice=inv+1%262',
      'GET /api/tenants/acme/explain?user=ada',
    ]);
  });

  it('prints the chain itself with --json', async () => {
    answer = { stories: [], text: 'x', asOf: null };
    expect(JSON.parse((await run('explain', 'e-1', '--json')).out)).to.deep.equal(answer);
    expect((await run('explain', 'e-1')).out).to.contain('is being built');
  });

  it('sends nothing when it is not clear what to explain', async () => {
    for (const argv of [
      ['explain'],
      ['explain', 'e-1', '--reward', 'r-1'],
      ['explain', '--invoice', 'inv-1'],
      ['explain', '--user', 'ada'],
      ['balance', '--tenant', 'acme'],
      ['balance', '--tenant', 'acme', '--recipient', 'a', '--campaign', 'c'],
      ['event', 'list'],
    ]) {
      expect((await run(...argv)).code, argv.join(' ')).to.equal(2);
    }
    expect(requests).to.deep.equal([]);
  });

  it('lists events and rewards, and says how to go on', async () => {
    answer = {
      events: [{ eventId: 'e-1', outcome: 'waiting', reason: 'unknown-code' }],
      nextCursor: 'abc',
      asOf: '2026-03-01T12:00:00.000Z',
    };
    const events = await run('event', 'list', '--tenant', 'acme', '--outcome', 'waiting');
    expect(events.out).to.match(/eventId[^\n]*\n[^\n]*e-1[^\n]*unknown-code/);
    expect(events.out).to.contain('There are more: --cursor abc');
    const rewardId = 'r-1';
    const open = [{ as: 'review', credits: '5' }];
    const grown = { rewardId, state: 'issued', entitledCredits: '15', issuedCredits: '10', open };
    answer = { rewards: [grown, { rewardId: 'r-2', open: [] }], nextCursor: null, asOf: null };
    const all = await run('reward', 'list', '--tenant', 'acme');
    expect(all.out).to.match(/r-1 +issued +15 +10 +5 review +-/);
    expect(all.out).to.match(/r-2 +- +- +- +- +-/);
    answer = { rewards: [], nextCursor: null, asOf: null };
    const rewards = await run('reward', 'list', '--tenant', 'acme', '--state', 'review');
    expect(rewards.out).to.contain('No rewards.').and.not.to.contain('--cursor');
    expect(requests).to.deep.equal([
      'GET /api/tenants/acme/events?outcome=waiting',
      'GET /api/tenants/acme/rewards',
      'GET /api/tenants/acme/rewards?state=review',
    ]);
  });

  it('shows balances of a recipient and of a campaign', async () => {
    const fields = { entitled: '5', issued: '10', owed: '-5' };
    const parts = [
      { campaignId: 'spring', ...fields },
      { campaignId: 'autumn', ...fields },
    ];
    answer = { recipientId: 'ada', ...fields, campaigns: parts, asOf: null };
    const { out } = await run('balance', '--tenant', 'acme', '--recipient', 'ada/1');
    expect(out)
      .to.match(/owed +-5/)
      .and.to.match(/By campaign\n[^]*autumn/);
    await run('balance', '--tenant', 'acme', '--campaign', 'spring');
    expect(requests).to.deep.equal([
      'GET /api/tenants/acme/recipients/ada%2F1/balance',
      'GET /api/tenants/acme/campaigns/spring/balance',
    ]);
  });
});

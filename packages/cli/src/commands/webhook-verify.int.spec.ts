import { expect } from 'chai';
import { freePort } from '@tributary/testkit/free-port';
import { type AdminApi, startAdminApi } from '../testing/admin-api.ts';
import {
  type Broken,
  credentials,
  startReceiver,
} from '../../../client/src/verify/testing/receiver.ts';

describe('tributary webhook verify', () => {
  let api: AdminApi;
  before(async () => {
    api = await startAdminApi();
  });
  after(() => api.stop());

  /** Without an admin API: a customer has none. */
  const run = (address: string, ...more: string[]) =>
    api.run(['webhook', 'verify', address, '--password-file', '-', ...more], {
      env: {},
      input: (async function* () {
        yield `${credentials.password}\n`;
      })(),
    });
  const user = ['--username', credentials.username];

  async function verify(broken: Broken, ...more: string[]) {
    const receiver = await startReceiver(broken);
    try {
      return {
        ...receiver,
        ...(await run(receiver.url.href, ...user, '--insecure-http', ...more)),
      };
    } finally {
      await receiver.stop();
    }
  }

  it('prints a line for each check, and exits 0 when all pass', async () => {
    const { code, out, err, requests } = await verify({}, '--user', 'ada');
    expect([code, err]).to.deep.equal([0, '']);
    const lines = out.split('\n').filter((line) => line.startsWith('pass'));
    expect(lines).to.have.length(33);
    expect(lines[0]).to.match(/^pass {2}rule 1 {2}no credentials: 401 said \(\d+ ms\)$/);
    expect(lines.at(-1)).to.match(/^pass {2}rule 5 {2}all 41 requests together: the slowest was/);
    expect(out).to.contain('All 33 checks passed.').and.contain('"ada" was granted 2 credits');
    expect(requests.filter(({ body }) => body.includes('"productUserId":"ada"'))).not.to.be.empty;
    expect(requests[0]!.headers['x-service-env']).to.equal('sandbox');
  });

  it('says what was sent, what came and what is right, and exits 1', async () => {
    const { code, out } = await verify({ mistakeStatus: 422 }, '--environment', 'prod');
    expect(code).to.equal(1);
    expect(out).to.match(/^FAIL {2}rule 3 {2}no eventId: 422 said \(\d+ ms\); right: 400$/m);
    expect(out).to.contain('11 of 33 checks failed. Broken: rule 3 (docs/webhooks.md).');
  });

  it('prints one object with --json', async () => {
    const { code, out } = await verify({ strangerStatus: 403 }, '--json');
    expect(code).to.equal(1);
    const { passed, results, granted } = JSON.parse(out) as Record<string, unknown[]>;
    expect(passed).to.equal(false);
    expect(results![0]).to.include({ rule: 1, passed: false, came: '403 said', right: '401' });
    expect(granted).to.have.length(2);
  });

  it('says when nobody is there, and sends no more', async () => {
    const { code, out } = await run(
      `http://127.0.0.1:${await freePort()}`,
      ...user,
      '--insecure-http',
    );
    expect(code).to.equal(1);
    expect(out)
      .to.contain('nothing listens there')
      .and.contain('Ended early: the endpoint cannot be reached.');
    expect(out.split('\n').filter((line) => line.startsWith('FAIL'))).to.have.length(2);
  });

  it('sends nothing to what is no https address', async () => {
    for (const [address, expected] of [
      ['http://127.0.0.1:1/', '--insecure-http'],
      ['https://u:p@example.com/', 'no credentials in it'],
      ['ftp://example.com/', 'Not an http or https address'],
      ['example.com', 'Not an http or https address'],
    ] as const) {
      const { code, err } = await run(address, ...user);
      expect([code, err.includes(expected)], err).to.deep.equal([2, true]);
    }
    expect((await run('https://example.com/', '--username', 'a:b')).code).to.equal(2);
    expect((await run('https://example.com/')).code).to.equal(2);
  });
});

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type AdminApi, startAdminApi } from './testing/admin-api.ts';

const problem = { type: 'x', title: 'x', status: 409, code: 'CONFLICT', detail: 'Taken.' };

describe('the system that a command line talks to', () => {
  let first: AdminApi;
  let second: AdminApi;
  let cwd: string;
  before(async () => {
    [first, second] = [await startAdminApi(), await startAdminApi()];
    cwd = await mkdtemp(join(tmpdir(), 'tributary-two-'));
    await leaveDemo(first, '.tributary');
    await leaveDemo(second, 'second');
  });
  beforeEach(() => {
    for (const api of [first, second]) {
      api.requests.length = 0;
      api.replyWith({ tenantId: 'acme', name: 'Acme', tenants: [] });
    }
  });
  after(async () => {
    first.stop();
    second.stop();
    await rm(cwd, { recursive: true });
  });

  /** As `npm start` does in its state directory. */
  async function leaveDemo({ url }: AdminApi, stateDir: string): Promise<void> {
    await mkdir(join(cwd, stateDir));
    const demo = { environment: 'sandbox', baseUrl: url, adminToken: 'token', kafkaBrokers: 'x' };
    await writeFile(join(cwd, stateDir, 'demo.json'), JSON.stringify(demo));
  }

  const create = ['tenant', 'create', 'Acme'];
  const run = (argv: string[], env: Record<string, string> = {}) => first.run(argv, { env, cwd });

  it('is that of TRIBUTARY_LOCAL_STATE_DIR, and never the one in .tributary beside it', async () => {
    for (const stateDir of ['second', join(cwd, 'second')]) {
      const { code, err } = await run(create, { TRIBUTARY_LOCAL_STATE_DIR: stateDir });
      expect(code, err).to.equal(0);
    }
    expect([first.requests.length, second.requests.length]).to.deep.equal([0, 2]);
    const lost = await run(create, { TRIBUTARY_LOCAL_STATE_DIR: 'third' });
    expect([lost.code, first.requests.length]).to.deep.equal([2, 0]);
    expect(lost.err).to.contain('TRIBUTARY_LOCAL_STATE_DIR').and.contain('third/demo.json');
    expect((await run(create)).code).to.equal(0);
    expect((await run(create, { TRIBUTARY_LOCAL_STATE_DIR: '' })).code).to.equal(0);
    expect([first.requests.length, second.requests.length]).to.deep.equal([2, 2]);
  });

  it('is named on the standard error before anything is sent, and how it was found', async () => {
    const [url, file] = [second.url, join(cwd, 'second', 'demo.json')];
    const stateDir = { TRIBUTARY_LOCAL_STATE_DIR: 'second' };
    const token = { TRIBUTARY_ADMIN_TOKEN: 'token' };
    for (const [argv, env, line] of [
      [create, stateDir, `System: ${url} (sandbox; from ${file})\n`],
      [
        create,
        { TRIBUTARY_ADMIN_URL: url, ...token },
        `System: ${url} (from TRIBUTARY_ADMIN_URL)\n`,
      ],
      [[...create, '--url', url], token, `System: ${url} (from --url)\n`],
      [[...create, '--url', url], stateDir, `System: ${url} (sandbox; from --url)\n`],
    ] as const) {
      let heard = '';
      let heardBefore: string | undefined;
      second.replyWith(() => {
        heardBefore = heard;
        return { status: 200, body: { tenantId: 'acme' } };
      });
      const err = (text: string) => void (heard += `${text}\n`);
      expect((await first.run([...argv], { env, cwd, err })).code).to.equal(0);
      expect([heardBefore, heard]).to.deep.equal([line, line]);
    }
  });

  it('is named by every command that changes something', async () => {
    await writeFile(join(cwd, 'campaign.json'), '{ "tenantId": "acme", "campaignId": "c" }');
    await writeFile(join(cwd, 'secret.txt'), 'secret\n');
    const by = ['--by', 'olga'];
    const reason = ['--reason', 'they asked'];
    const at = ['--tenant', 'acme'];
    first.replyWith(() => ({ status: 409, body: problem }));
    for (const argv of [
      ['access-key', 'issue', ...at],
      ['access-key', 'revoke', 'ak', ...at],
      ['campaign', 'put', 'campaign.json'],
      ['code', 'issue', ...at, '--user', 'ada'],
      ['code', 'disable', 'SUMMER', ...at],
      ['tenant', 'set', '--tenant', 'acme', '--attribution-mode', 'first-code'],
      ['webhook', 'set', 'https://acme.example/rewards', ...at],
      ['webhook', 'test', ...at],
      ['webhook', 'pause', ...at, ...by, ...reason],
      ['webhook', 'recover', ...at, '--since', '2026-11-20T00:00:00Z', ...by],
      ['delivery', 'resend', 'e1', ...at, ...by],
      ['domain', 'add', 'acme.example', ...at],
      ['domain', 'remove', 'acme.example', ...at],
      ['widget', 'set', ...at, '--referrer-name', 'initial'],
      ['processor', 'connect', ...at, '--api-key-file', 'secret.txt'],
      ['dead-letters', 'discard', 'i1', ...by],
      ['person', 'erase', 'u1', '--tenant', 'acme'],
      ['reward', 'release', 'r1', ...at, ...by],
      ['replay', 'rebuild', '--detach', ...by],
    ]) {
      const { code, err } = await run(argv);
      expect(code, `${argv.join(' ')}: ${err}`).to.equal(1);
      expect(first.requests.at(-1), argv.join(' ')).to.match(/^(POST|PUT|DELETE) /);
      const line = `System: ${first.url} (sandbox; from ${join(cwd, '.tributary/demo.json')})\n`;
      expect(err.startsWith(line), `${argv.join(' ')}: ${err}`).to.equal(true);
    }
  });

  it('is not named by one that only asks', async () => {
    first.replyWith({ tenants: [], valid: true, accepted: true, mistakes: [], warnings: [] });
    for (const argv of [
      ['tenant', 'list'],
      ['campaign', 'check', 'campaign.json'],
      ['campaign', 'try', 'c', 'campaign.json', '--tenant', 'acme'],
      ['widget', 'check-token', '--tenant', 'acme', '--file', 'secret.txt'],
    ]) {
      expect((await run(argv)).err, argv.join(' ')).to.equal('');
    }
  });

  it('is a JSON text of its own with --json, before the problem', async () => {
    first.replyWith(() => ({ status: 409, body: problem }));
    const { code, out, err } = await run([...create, '--json']);
    expect([code, out]).to.deep.equal([1, '']);
    const [line = '', ...rest] = err.split('\n');
    const foundBy = join(cwd, '.tributary/demo.json');
    const system = { address: first.url, environment: 'sandbox', foundBy };
    expect(JSON.parse(line)).to.deep.equal({ system });
    expect(JSON.parse(rest.join('\n'))).to.deep.equal(problem);
  });
});

import { freePort } from '@tributary/testkit/free-port';
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTributary } from './run-tributary.ts';
import { type PortalProcess, startPortalProcess } from './testing/portal-process.ts';

const campaign = {
  tenantId: 'acme',
  campaignId: 'spring',
  name: 'Spring',
  landingUrl: 'https://example.com/join',
  rules: [
    {
      ruleId: 'purchase',
      trigger: 'purchase-created',
      recipient: 'referrer',
      effect: { kind: 'fixed', credits: '10' },
    },
  ],
};

describe('tributary (command line against a portal)', function () {
  this.timeout(60_000);
  let portal: PortalProcess;
  let cwd: string;
  before(async () => {
    portal = await startPortalProcess();
    cwd = await mkdtemp(join(tmpdir(), 'tributary-cli-'));
    await writeFile(join(cwd, 'campaign.json'), JSON.stringify(campaign));
    await writeFile(join(cwd, 'secret.txt'), 'hook-password\n');
  });
  after(async () => {
    await rm(cwd, { recursive: true, force: true });
    expect(await portal.stop()).to.equal(0);
  });

  async function run(argv: string[], env?: Record<string, string>, input = '') {
    const printed = { out: '', err: '' };
    const code = await runTributary({
      argv,
      env: env ?? { TRIBUTARY_ADMIN_URL: portal.url, TRIBUTARY_ADMIN_TOKEN: portal.token },
      cwd,
      input: (async function* () {
        yield Buffer.from(input);
      })(),
      out: (text) => void (printed.out += `${text}\n`),
      err: (text) => void (printed.err += `${text}\n`),
    });
    return { code, ...printed };
  }
  async function json(argv: string[]): Promise<Record<string, unknown>> {
    const { code, out, err } = await run([...argv, '--json']);
    expect(code, err).to.equal(0);
    return JSON.parse(out) as Record<string, unknown>;
  }

  it('sets up a tenant from creation to webhook', async () => {
    expect((await run(['tenant', 'list'])).out).to.contain('There is no tenant yet');

    const tenant = await json(['tenant', 'create', 'Acme', '--tenant', 'acme']);
    expect(tenant).to.include({ tenantId: 'acme', name: 'Acme' });
    const { productSecret, ...existing } = tenant;
    expect(productSecret).to.be.a('string');
    expect(await json(['tenant', 'create', 'Acme', '--tenant', 'acme'])).to.deep.equal(existing);
    const again = await run(['tenant', 'create', 'Acme', '--tenant', 'acme']);
    expect(again.out).to.contain('its product secret was shown once');
    const rotated = await run(['product-secret', 'rotate', '--tenant', 'acme']);
    expect(rotated.out)
      .to.match(/productSecret +[\w-]{86}\n/)
      .and.contain('not shown again');

    const key = await json(['access-key', 'issue', '--tenant', 'acme']);
    expect(key).to.have.all.keys('accessKeyId', 'secretAccessKey');

    expect(await json(['campaign', 'put', 'campaign.json'])).to.include({ revision: 1 });
    const code = await json(['code', 'issue', '--tenant', 'acme', '--user', 'ada']);
    expect(code['link']).to.contain('https://example.com/join?productId=');

    const webhook = ['webhook', 'set', 'https://example.com/hook', '--tenant', 'acme'];
    const credentials = ['--username', 'u', '--password-file', 'secret.txt'];
    expect(await json([...webhook, ...credentials])).to.deep.equal({
      url: 'https://example.com/hook',
      username: 'u',
    });
    const moved = ['webhook', 'set', 'https://example.com/other', '--tenant', 'acme'];
    expect((await run(moved)).err).to.contain('/password: The address is another one');

    const shown = (await run(['tenant', 'show', '--tenant', 'acme'])).out;
    for (const text of ['Tenant acme', 'Spring', 'https://example.com/hook', 'active']) {
      expect(shown).to.contain(text);
    }
    expect((await run(['tenant', 'list'])).out).to.match(/^acme +Acme +active/m);

    const id = String(key['accessKeyId']);
    expect(await json(['access-key', 'revoke', id, '--tenant', 'acme'])).to.deep.equal({
      accessKeyId: id,
      status: 'revoked',
    });
  });

  it('registers domains and sets the widget up', async () => {
    await json(['tenant', 'create', 'Tea', '--tenant', 'tea']);
    const at = ['--tenant', 'tea'];
    const added = await json(['domain', 'add', '*.TEA.example:8443', ...at]);
    expect(added).to.deep.include({ domain: '*.tea.example:8443', proof: 'not-needed' });
    expect((await run(['domain', 'list', ...at])).out).to.match(
      /^\*\.tea\.example:8443 +not-needed +- +20/m,
    );
    const removed = await json(['domain', 'remove', '*.tea.example:8443', ...at]);
    expect(removed).to.include({ status: 'removed' });
    expect(await json(['domain', 'list', ...at])).to.deep.equal({ domains: [] });
    expect((await run(['domain', 'add', 'https://tea.example/', ...at])).err).to.contain(
      '/domain: must be a host name such as shop.example',
    );

    const set = ['widget', 'set', ...at, '--referrer-name', 'initial', '--max-token-age', '600'];
    const settings = await json(set);
    expect(settings).to.include({ referrerName: 'initial', maxTokenAgeSeconds: 600 });
    expect(await json(['widget', 'show', ...at])).to.deep.equal(settings);
    expect((await run([...set.slice(0, -1), '5'])).err).to.contain('/maxTokenAgeSeconds: must be');
  });

  it('prints answers as readable lines', async () => {
    const { out } = await run([
      'code',
      'issue',
      '--tenant',
      'acme',
      '--user',
      'bob',
      '--ucc',
      'BOB',
    ]);
    expect(out).to.match(/^Code issued\n {2}ucc +BOB\n/);
    const again = await run(['code', 'issue', '--tenant', 'acme', '--user', 'bob', '--ucc', 'BOB']);
    expect(again.out).to.match(/^The user has this code\n/);
    const key = await run(['access-key', 'issue', '--tenant', 'acme']);
    expect(key.out).to.contain('it is not shown again');
  });

  it('reads a campaign from standard input, its place from flags', async () => {
    const { tenantId: _tenant, campaignId: _campaign, ...body } = campaign;
    const place = ['--tenant', 'acme', '--campaign', 'summer'];
    const { code, out } = await run(
      ['campaign', 'put', '-', ...place],
      undefined,
      JSON.stringify(body),
    );
    expect(code).to.equal(0);
    expect(out).to.match(/revision +1/);
  });

  it('says what a campaign would do, and stores nothing', async () => {
    const { code, out, err } = await run(['campaign', 'check', 'campaign.json']);
    expect([code, err]).to.deep.equal([0, '']);
    expect(out).to.contain(
      'Rule purchase\n  For each purchase of a referred user, the referrer gets 10',
    );
    expect(out).to.contain('2 warnings:\n  /rules/0/effect: ').and.contain('(PAYS_FOR_NOTHING)');
    expect(out).to.match(/\nNo mistakes\.\n$/);
    expect(await json(['campaign', 'check', 'campaign.json'])).to.include({ valid: true });
    const nowhere = { ...campaign, campaignId: 'nowhere' };
    await run(['campaign', 'check', '-'], undefined, JSON.stringify(nowhere));
    expect((await run(['campaign', 'show', '--tenant', 'acme'])).out).not.to.contain('nowhere');
  });

  it('knows when a campaign is checked that its start will be refused', async () => {
    await json(['tenant', 'create', 'Late', '--tenant', 'late']);
    const start = { effectiveFrom: '2026-01-01T00:00:00Z' };
    const late = { ...campaign, tenantId: 'late', ...start };
    const input = JSON.stringify(late);
    const put = await run(['campaign', 'put', '-'], undefined, input);
    const detail = /\/effectiveFrom: must not be earlier than the service's clock/;
    expect([put.code, detail.test(put.err)], put.err).to.deep.equal([1, true]);
    const { tenantId: _tenant, campaignId: _campaign, ...unnamed } = late;
    for (const [flags, text] of [
      [[], input],
      [['--tenant', 'late', '--campaign', 'spring'], JSON.stringify(unnamed)],
      [[], JSON.stringify(unnamed)],
    ] as const) {
      const { code, out, err } = await run(['campaign', 'check', '-', ...flags], undefined, text);
      expect([code, err]).to.deep.equal([1, '']);
      expect(out)
        .to.match(/^1 mistake:\n/)
        .and.match(detail);
    }
    const differ = await run(['campaign', 'check', '-', '--campaign', 'x'], undefined, input);
    expect([differ.code, differ.err.includes('differ')]).to.deep.equal([2, true]);
  });

  it('lists every mistake of a campaign and exits 1', async () => {
    const rules = Array.from({ length: 25 }, (_, i) => ({ ruleId: `r${i}` }));
    const input = JSON.stringify({ ...campaign, rules });
    const { code, out, err } = await run(['campaign', 'check', '-'], undefined, input);
    expect([code, err]).to.deep.equal([1, '']);
    expect(out).to.match(/^75 mistakes:\n/);
    for (const name of ['trigger', 'recipient', 'effect']) {
      expect(out).to.contain(`  /rules/24/${name}: is missing; it must be`);
    }
    const asJson = await run(['campaign', 'check', '-', '--json'], undefined, input);
    expect(asJson.code).to.equal(1);
    expect(JSON.parse(asJson.out)).to.have.property('mistakes').with.length(75);
  });

  it('warns when a campaign is put, and shows its revisions', async () => {
    const input = JSON.stringify({ ...campaign, campaignId: 'shown' });
    const put = await run(['campaign', 'put', '-'], undefined, input);
    expect(put.out).to.match(/^Campaign stored\n {2}campaignId +shown\n/);
    for (const warning of ['LATE_EVENTS_REVIEWED', 'PAYS_FOR_NOTHING', 'SENT_BEFORE_REFUND']) {
      expect(put.out).to.contain(`(${warning})`);
    }
    await run(['campaign', 'put', '-'], undefined, input.replace('"Spring"', '"Second"'));

    const listed = (await run(['campaign', 'show', '--tenant', 'acme'])).out;
    expect(listed).to.match(/^shown +2 +Second +running/m);
    const shown = (await run(['campaign', 'show', 'shown', '--tenant', 'acme'])).out;
    expect(shown).to.match(/^Campaign shown\n/);
    expect(shown)
      .to.match(/^2 +in force +Second/m)
      .and.match(/^1 +Spring/m);
    const one = (await run(['campaign', 'show', 'shown', '--tenant', 'acme', '--revision', '1']))
      .out;
    expect(one)
      .to.match(/^Campaign shown, revision 1\n/)
      .and.contain('the referrer gets 10 credits');
    expect(
      (await run(['campaign', 'show', 'shown', '--tenant', 'acme', '--revision', '3'])).code,
    ).to.equal(1);
    expect((await run(['campaign', 'show', '--tenant', 'acme', '--revision', '3'])).code).to.equal(
      2,
    );
  });

  it('suspends a tenant, resumes it and limits its events', async () => {
    await run(['tenant', 'create', 'Held', '--tenant', 'held']);
    expect((await run(['tenant', 'suspend', '--tenant', 'held'])).out).to.equal(
      'Tenant held\n  status  suspended\n',
    );
    expect(await json(['tenant', 'resume', '--tenant', 'held'])).to.deep.equal({
      tenantId: 'held',
      status: 'active',
    });
    const limit = (value: string) =>
      json(['tenant', 'set', '--tenant', 'held', '--events-per-second', value]);
    expect(await limit('50')).to.deep.equal({ eventsPerSecond: 50 });
    expect(await limit('default')).to.deep.equal({ eventsPerSecond: null });
  });

  it('changes the settings of a tenant, one at a time', async () => {
    const set = (...flags: string[]) => ['tenant', 'set', '--tenant', 'acme', ...flags];
    expect(await json(set('--attribution-mode', 'first-code'))).to.deep.equal({
      attributionMode: 'first-code',
    });
    expect((await run(set('--default-campaign', 'summer'))).out).to.equal(
      'Tenant acme\n  defaultCampaignId  summer\n',
    );
    expect((await run(['tenant', 'show', '--tenant', 'acme'])).out).to.match(
      /attributionMode +first-code/,
    );
    for (const wrong of [[], ['--attribution-mode', 'last-code']]) {
      expect((await run(set(...wrong))).code).to.equal(2);
    }
    const both = ['--attribution-mode', 'event-code', '--default-campaign', 'summer'];
    expect((await run(set(...both))).code).to.equal(2);
    const create = ['tenant', 'create', 'First', '--tenant', 'first'];
    await run([...create, '--attribution-mode', 'first-code']);
    expect(await json(['tenant', 'show', '--tenant', 'first'])).to.include({
      attributionMode: 'first-code',
    });
  });

  it('disables a code, shows that it is, and enables it', async () => {
    const place = ['--tenant', 'acme'];
    await run(['code', 'issue', ...place, '--user', 'bob', '--ucc', 'SUMMER/26']);
    const { code, out } = await run(['code', 'disable', 'SUMMER/26', ...place]);
    expect(code).to.equal(0);
    expect(out).to.match(/^Code disabled\n {2}ucc +SUMMER\/26\n[^]*disabledAt/);
    const again = await run(['code', 'issue', ...place, '--user', 'bob', '--ucc', 'SUMMER/26']);
    expect(again.out)
      .to.match(/it is disabled[^]*disabledAt/)
      .and.to.not.contain('https://');
    const enabled = await run(['code', 'enable', 'SUMMER/26', ...place]);
    expect(enabled.out).to.match(/^Code enabled\n {2}ucc +SUMMER\/26\n[^]*link +https:/);
    for (const verb of ['disable', 'enable']) {
      expect((await run(['code', verb, 'WINTER', ...place])).err).to.contain('404 NOT_FOUND');
    }
  });

  it('prints a refusal with every violation and exits 1', async () => {
    const input = JSON.stringify({ ...campaign, name: '', rules: [{ ruleId: 'r' }] });
    const { code, out, err } = await run(['campaign', 'put', '-'], undefined, input);
    expect([code, out]).to.deep.equal([1, '']);
    expect(err).to.contain('422 VALIDATION_ERROR');
    for (const pointer of ['/name', '/rules/0/trigger', '/rules/0/effect']) {
      expect(err).to.contain(`  ${pointer}: `);
    }
    const asJson = await run(['campaign', 'put', '-', '--json'], undefined, input);
    const [, ...problem] = asJson.err.split('\n');
    expect(JSON.parse(problem.join('\n'))).to.include({ status: 422, code: 'VALIDATION_ERROR' });
  });

  it('exits 1 for a wrong token and an unknown tenant', async () => {
    const wrong = { TRIBUTARY_ADMIN_URL: portal.url, TRIBUTARY_ADMIN_TOKEN: 'wrong' };
    const refused = await run(['tenant', 'list'], wrong);
    expect([refused.code, refused.err.includes('401 UNAUTHORIZED')]).to.deep.equal([1, true]);
    for (const tenantId of ['nobody', 'a b', '..', '%2e%2e', '../x']) {
      const { code, err } = await run(['tenant', 'show', '--tenant', tenantId]);
      expect([code, err.includes('404 NOT_FOUND')], err).to.deep.equal([1, true]);
    }
  });

  it('finds the system that npm start left in the directory', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'tributary-demo-'));
    await mkdir(join(elsewhere, '.tributary'));
    const demo = { baseUrl: portal.url, adminToken: portal.token };
    await writeFile(join(elsewhere, '.tributary', 'demo.json'), JSON.stringify(demo));
    const main = fileURLToPath(new URL('./main.ts', import.meta.url));
    const list = (...more: string[]) =>
      spawnSync(process.execPath, [main, 'tenant', 'list', ...more], {
        cwd: elsewhere,
        env: {},
        encoding: 'utf8',
      });
    const found = list('--json');
    expect([found.status, found.stderr]).to.deep.equal([0, '']);
    expect(JSON.parse(found.stdout)).to.have.property('tenants');
    const other = list('--url', 'http://127.0.0.1:1');
    expect(other.status, 'the token of the demo goes nowhere else').to.equal(2);
    expect(other.stderr).to.contain('No token for');
    await rm(elsewhere, { recursive: true });
  });

  it('exits 2 for what it does not understand, and sends nothing', async () => {
    for (const [argv, expected] of [
      [['tenant', 'crate', 'x'], 'unknown command'],
      [['access-key', 'issue'], '--tenant'],
      [['campaign', 'put', 'missing.json'], 'there is no such file'],
      [['campaign', 'put', 'secret.txt'], 'is not JSON'],
      [['campaign', 'put', 'campaign.json', '--tenant', 'other'], 'differ'],
    ] as const) {
      const { code, err } = await run([...argv]);
      expect([code, err.includes(expected)], err).to.deep.equal([2, true]);
    }
    expect((await run(['tenant', 'list'], {})).code).to.equal(2);
  });

  it('says what to do when nothing answers', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, err } = await run(['tenant', 'list', '--url', url, '--token', 'x'], {});
    expect(code).to.equal(1);
    expect(err).to.contain(url).and.contain('npm start').and.contain('TRIBUTARY_ADMIN_URL');
  });

  it('says so when something else answers', async () => {
    const server = createServer((_req, res) => res.end('<html>hello</html>'));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as { port: number };
    const url = `http://127.0.0.1:${port}`;
    const { code, err } = await run(['tenant', 'list', '--url', url, '--token', 'x'], {});
    server.closeAllConnections();
    server.close();
    expect([code, err.includes('not like the admin API')]).to.deep.equal([1, true]);
  });
});

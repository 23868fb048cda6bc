import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AdminApi, startAdminApi } from '../testing/admin-api.ts';

describe('tributary widget show and set', () => {
  let api: AdminApi;
  let cwd: string;
  before(async () => {
    api = await startAdminApi();
    cwd = await mkdtemp(join(tmpdir(), 'tributary-widget-'));
    const settings = { theme: { cornerRadius: 4 }, referrerName: 'none' };
    await writeFile(join(cwd, 'widget.json'), JSON.stringify(settings));
    await writeFile(join(cwd, 'list.json'), '[]');
    await writeFile(join(cwd, 'empty.json'), '{}');
  });
  beforeEach(() => {
    api.requests.splice(0);
    api.replyWith(defaults);
  });
  after(async () => {
    api.stop();
    await rm(cwd, { recursive: true });
  });
  const run = (...argv: string[]) => api.run(['widget', ...argv, '--tenant', 'acme'], { cwd });

  const at = '/api/tenants/acme/widget';
  const defaults = {
    theme: {},
    texts: {},
    referrerName: 'first-name',
    referredUserName: 'first-name',
    recoverSignups: false,
    maxTokenAgeSeconds: null,
  };

  it('shows the settings, texts by their languages', async () => {
    expect((await run('show')).out).to.match(/texts +the widget's own\n$/);
    api.replyWith({ ...defaults, theme: { cornerRadius: 4 }, texts: { de: { a: 'x', b: 'y' } } });
    const { code, out } = await run('show');
    expect(code).to.equal(0);
    expect(out)
      .to.match(/^Widget of acme\n/)
      .and.match(/referrerName +first-name\n/)
      .and.match(/maxTokenAgeSeconds +-\n/)
      .and.match(/theme +\{"cornerRadius":4\}\n/)
      .and.match(/texts +de \(2\)\n$/);
    expect(api.requests).to.deep.equal([`GET ${at}`, `GET ${at}`]);
  });

  it('sets what a file says, what flags say, and flags before the file', async () => {
    expect((await run('set', '--file', 'widget.json')).code).to.equal(0);
    await run(
      ...['set', '--referrer-name', 'initial', '--referred-user-name', 'none'],
      ...['--recover-signups', 'on', '--max-token-age', '600'],
    );
    await run('set', '--file', 'widget.json', '--referrer-name', 'initial');
    expect(api.requests).to.deep.equal([
      `PUT ${at} {"theme":{"cornerRadius":4},"referrerName":"none"}`,
      `PUT ${at} {"referrerName":"initial","referredUserName":"none","recoverSignups":true,` +
        '"maxTokenAgeSeconds":600}',
      `PUT ${at} {"theme":{"cornerRadius":4},"referrerName":"initial"}`,
    ]);
  });

  it('switches off what is on, and leaves what is no number to the portal', async () => {
    await run('set', '--recover-signups', 'off', '--max-token-age', 'none');
    await run('set', '--max-token-age', 'soon');
    expect(api.requests).to.deep.equal([
      `PUT ${at} {"recoverSignups":false,"maxTokenAgeSeconds":null}`,
      `PUT ${at} {"maxTokenAgeSeconds":"soon"}`,
    ]);
  });

  it('shows in JSON what can be set again as it is', async () => {
    const { out } = await run('show', '--json');
    await writeFile(join(cwd, 'shown.json'), out);
    await run('set', '--file', 'shown.json');
    expect(api.requests.at(-1)).to.equal(`PUT ${at} ${JSON.stringify(defaults)}`);
  });

  it('sends nothing without a setting, or with one that it does not know', async () => {
    for (const flags of [
      [],
      ['--file', 'empty.json'],
      ['--file', 'list.json'],
      ['--file', 'missing.json'],
      ['--referrer-name', 'full'],
      ['--referred-user-name', 'last-name'],
      ['--recover-signups', 'yes'],
    ]) {
      expect((await run('set', ...flags)).code, flags.join(' ')).to.equal(2);
    }
    expect(api.requests).to.deep.equal([]);
  });

  it('shows every mistake that the portal found, with its place', async () => {
    const detail = 'must be a colour of six hexadecimal digits such as "#1f6feb"';
    api.replyWith(() => ({
      status: 422,
      body: {
        status: 422,
        code: 'VALIDATION_ERROR',
        title: 'x',
        detail: 'The request breaks 1 rule of the contract.',
        errors: [{ pointer: '/theme/light/accent', code: 'INVALID_FORMAT', detail }],
      },
    }));
    const { code, err } = await run('set', '--file', 'widget.json');
    expect(code).to.equal(1);
    expect(err).to.contain(`\n  /theme/light/accent: ${detail} (INVALID_FORMAT)\n`);
  });

  describe('check-token', () => {
    const taken = { accepted: true, productUserId: 'ada', issuedAt: '2026-11-20T10:00:00.000Z' };
    const refused = { accepted: false, fault: 'algorithm', detail: 'It must be "HS512".' };
    const check = (input: string, ...flags: string[]) => {
      const argv = ['widget', 'check-token', '--tenant', 'acme', ...flags];
      const chunks = (async function* () {
        yield Buffer.from(input);
      })();
      return api.run(argv, { cwd, input: chunks });
    };

    it('sends what standard input or a file has, without its line end', async () => {
      api.replyWith(taken);
      await writeFile(join(cwd, 'token.txt'), 'from.a.file\r\n');
      expect((await check('a.b.c\n')).code).to.equal(0);
      const { code, out } = await check('', '--file', 'token.txt');
      expect([code, out]).to.deep.equal([
        0,
        'The widget takes this token\n' +
          '  productUserId  ada\n' +
          '  issuedAt       2026-11-20T10:00:00.000Z\n',
      ]);
      expect(api.requests).to.deep.equal([
        `POST ${at}/check-token {"token":"a.b.c"}`,
        `POST ${at}/check-token {"token":"from.a.file"}`,
      ]);
    });

    it('says why a token is refused, with exit code 1', async () => {
      api.replyWith(refused);
      const { code, out } = await check('a.b.c');
      expect([code, out]).to.deep.equal([
        1,
        'The widget refuses this token\n' +
          '  fault   algorithm\n' +
          '  detail  It must be "HS512".\n',
      ]);
      expect(JSON.parse((await check('a.b.c', '--json')).out)).to.deep.equal(refused);
    });

    it('says of a token for another product that it is none of this tenant, not that it is refused', async () => {
      const detail = 'The token names the product "p-1"; this tenant\'s is "p-2".';
      api.replyWith({ accepted: false, fault: 'other-product', detail });
      const { code, out, err } = await check('a.b.c');
      expect([code, out]).to.deep.equal([
        1,
        `This is no token of this tenant\n  fault   other-product\n  detail  ${detail}\n`,
      ]);
      expect(err).to.not.match(/refuse/);
    });

    it('sends nothing without a token', async () => {
      expect((await check('\n')).code).to.equal(2);
      expect((await check('', '--file', 'missing.txt')).code).to.equal(2);
      expect(api.requests).to.deep.equal([]);
    });
  });
});

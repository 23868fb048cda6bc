import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { type Boot, bootScript, html, widgetTag } from './host-html.ts';
import { type PageServer, startPageServer } from './page-server.ts';
import { startScriptedService } from './scripted-service.ts';
import { useVisitors, type Visitor } from './visitor.ts';
import { launcherOf, panelOf } from './widget-parts.ts';

// What the widget's API promises to a page (docs/widget.md), whatever the service has to say: its
// answers are written here. The real service is asked in the specs beside this one.

const session = {
  productUserId: 'ada',
  invite: { ucc: 'ADA1', link: 'https://shop.example/join?ucc=ADA1', campaignId: 'spring' },
  rules: [
    {
      ruleId: 'welcome',
      trigger: 'signup-created',
      recipient: 'referrer',
      reward: { kind: 'fixed', credits: '5' },
      holdDays: 0,
    },
  ],
  newUserDiscount: { percentage: 0.1, months: 3 },
  credits: { earned: '5', held: '0', toOffset: '0', issued: '5' },
  referrals: {
    total: 0,
    byState: { 'signed-up': 0, 'demo-attended': 0, purchased: 0, refunded: 0 },
    latest: [],
  },
  theme: {},
  texts: {},
};

/** As a page's server would sign it; nobody here checks the signature. */
const tokenOf = (productUserId: string, iat = 1): string => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS512' })}.${part({ productId: 'p', productUserId, iat })}.c2lnbmVk`;
};

describe('the widget API in a page', function () {
  this.timeout(60_000);
  const visitor = useVisitors();
  let service: Awaited<ReturnType<typeof startScriptedService>>;
  let site: PageServer;
  before(async () => {
    service = await startScriptedService();
    site = await startPageServer();
  });
  after(async () => {
    await Promise.all([service.stop(), site.stop()]);
  });
  beforeEach(() => {
    service.asked.length = 0;
    service.script.session = { status: 200, body: session };
  });

  type Page = { boot?: Partial<Boot>; body?: string; scripts?: string[]; head?: string };

  /** A visitor on a page that has booted, or tried to. */
  async function visit({ boot, body, scripts, head = '' }: Page = {}): Promise<Visitor> {
    const someone = await visitor();
    const text = html({
      head: head + widgetTag(service.origin),
      scripts: scripts ?? [bootScript({ token: tokenOf('ada'), ...boot })],
      ...(body !== undefined && { body }),
    });
    await someone.page.goto(site.page('/page', { html: text }));
    if (!scripts) await someone.run('hostBoot');
    return someone;
  }

  const launcher = ({ page }: Visitor) => launcherOf(page);
  const dialog = ({ page }: Visitor) => panelOf(page);
  /** The floating launcher, as it is drawn. */
  const styleOf = ({ run }: Visitor, names: string[]) =>
    run(`((style) => ${JSON.stringify(names)}.map((name) => style[name]))(getComputedStyle(
      document.querySelector('tributary-widget').shadowRoot.querySelector('button')))`);
  const rejection = (call: string) =>
    `${call}.then(() => 'resolved', ({ name, code }) => ({ name, code }))`;

  it('sends the token and the four details, and nothing else that the page named', async () => {
    const details = { firstName: 'Ada', lastName: null, email: 'ada@example.com', role: 'admin' };
    await visit({ boot: { productUserDetails: details } as unknown as Partial<Boot> });
    expect(service.asked[0]?.body).to.deep.equal({
      token: tokenOf('ada'),
      productUserDetails: { firstName: 'Ada', email: 'ada@example.com' },
    });
  });

  it('tells the link and the labels', async () => {
    const { run } = await visit();
    expect(await run('hostApi.getLink()')).to.deep.equal({
      ucc: 'ADA1',
      link: 'https://shop.example/join?ucc=ADA1',
    });
    expect(await run('hostApi.getLabels()')).to.include({
      'rule.welcome': 'You get 5 credits when a friend signs up.',
      'reward.summary': 'You get 5 credits when a friend signs up.',
      'newUser.benefit': 'Your friend saves 10% for 3 months.',
      'launcher.label': 'Invite friends',
    });
  });

  it('refuses what needs a boot before there is one, and after shutdown', async () => {
    const someone = await visit({
      scripts: ['window.Tributary = { cmd: [(widget) => { window.hostApi = widget }] }'],
    });
    await someone.page.waitForFunction('window.hostApi');
    const refused = { name: 'TributaryError', code: 'NOT_BOOTED' };
    for (const call of ['getLabels()', 'getLink()', 'open()']) {
      expect(await someone.run(rejection(`hostApi.${call}`))).to.deep.equal(refused);
    }
    await someone.run(`${bootScript({ token: tokenOf('ada') })}; hostBoot`);
    await someone.run('hostApi.open()');
    await someone.run('hostApi.shutdown()');
    expect(await someone.run(rejection('hostApi.getLink()'))).to.deep.equal(refused);
    expect(await someone.page.locator('tributary-widget').count()).to.equal(0);
    expect(await dialog(someone).count()).to.equal(0);
    expect(someone.complaints()).to.deep.equal([]);
  });

  const unusable: Record<string, string> = {
    'no options': '',
    'no token': '{ productUserDetails: {} }',
    'no details': `{ token: 'a.b.c' }`,
    'an unknown launcher': `{ token: 'a.b.c', productUserDetails: {}, launcher: 'round' }`,
  };
  for (const [title, options] of Object.entries(unusable)) {
    it(`refuses a boot with ${title}, and shows nothing`, async () => {
      const scripts = ['window.Tributary = { cmd: [(widget) => { window.hostApi = widget }] }'];
      const someone = await visit({ scripts });
      await someone.page.waitForFunction('window.hostApi');
      const refused = { name: 'TributaryError', code: 'INVALID_CONFIGURATION' };
      expect(await someone.run(rejection(`hostApi.boot(${options})`))).to.deep.equal(refused);
      expect(await someone.page.locator('tributary-widget').count()).to.equal(0);
      expect(service.asked).to.deep.equal([]);
    });
  }

  for (const [what, options] of Object.entries({
    'no productUserDetails': `{ token: 'a.b.c' }`,
    'a list of them': `{ token: 'a.b.c', productUserDetails: ['Ada', 'Lovelace'] }`,
  })) {
    it(`says what a boot needs that has ${what} (4.7 rule 3), also where nobody catches it`, async () => {
      const someone = await visit({
        scripts: [
          `window.Tributary = { cmd: [async (widget) => { await widget.boot(${options}) }] }`,
        ],
      });
      const needed =
        'productUserDetails must be an object with firstName, lastName, fullName and email.';
      await eventually(() => {
        const [reported = '', ...others] = someone.complaintsOfScripts();
        expect(reported).to.contain(`warning: Tributary: ${needed} (INVALID_CONFIGURATION)`);
        expect(others).to.deep.equal([]);
      });
      expect(await someone.page.locator('tributary-widget').count()).to.equal(0);
      expect(service.asked).to.deep.equal([]);
    });
  }

  it('takes a 422 of the service as a fault of the options, and asks once', async () => {
    const problem = { detail: 'Wrong.', errors: [{ pointer: '/token', detail: 'too long' }] };
    service.script.session = { status: 422, body: problem };
    const { run, page } = await visit();
    expect(await run('hostBoot')).to.deep.equal({
      name: 'TributaryError',
      code: 'INVALID_CONFIGURATION',
      message: 'Wrong. /token: too long',
    });
    expect(service.asked).to.have.length(1);
    expect(await page.locator('tributary-widget').count()).to.equal(0);
  });

  it('takes a 200 that is no session for no answer, and opens with a way to try again', async () => {
    service.script.session = { status: 200, body: { hello: 'from a proxy' } };
    const someone = await visit();
    expect(await someone.run('hostBoot')).to.include({ code: 'UNAVAILABLE' });
    service.script.session = { status: 200, body: session };
    await launcher(someone).click();
    await dialog(someone).getByText('You get 5 credits').first().waitFor();
  });

  it('an uncaught refusal in a command is a warning for developers, and no error', async () => {
    service.script.session = { status: 401, body: {} };
    const someone = await visit({
      scripts: [
        `window.Tributary = { cmd: [async (widget) => {
          await widget.boot({ token: 'x', productUserDetails: {} });
        }] }`,
      ],
    });
    await launcher(someone).waitFor();
    await eventually(() => {
      const reported = someone.complaintsOfScripts();
      expect(reported).to.have.length(1);
      expect(reported[0]).to.match(
        /^warning: Tributary: This user is not authorized .* \(UNAUTHORIZED\)/,
      );
    });
  });

  it("reports a command's own error as an error of the page, and runs the next", async () => {
    const someone = await visit({
      scripts: [
        `window.Tributary = { cmd: [
          () => { throw new Error('mine') },
          (widget) => { window.hostApi = widget; },
        ] }`,
      ],
    });
    await someone.page.waitForFunction('window.hostApi');
    await eventually(() => {
      expect(someone.complaints().join('\n')).to.contain('uncaught: Error: mine');
    });
  });

  it('keeps the session of a user who is booted again, also with a newer token', async () => {
    const { run } = await visit();
    const again = (token: string) =>
      `hostApi.boot(${JSON.stringify({ token, productUserDetails: {} })})`;
    await run(`window.element = document.querySelector('tributary-widget'); undefined`);
    await run(again(tokenOf('ada')));
    expect(service.asked).to.have.length(1);
    await run(again(tokenOf('ada', 2)));
    expect(service.asked).to.have.length(2);
    expect(await run(`element === document.querySelector('tributary-widget')`)).to.equal(true);
  });

  it('takes the first user away when another is booted', async () => {
    const someone = await visit();
    await someone.run('hostApi.open()');
    const other = { token: tokenOf('bob'), productUserDetails: {} };
    await someone.run(`hostApi.boot(${JSON.stringify(other)})`);
    expect(await someone.page.locator('tributary-widget').count()).to.equal(1);
    expect(await dialog(someone).count()).to.equal(0);
    expect(await launcher(someone).count()).to.equal(1);
  });

  it('shuts down while the session is on its way', async () => {
    service.script.session = 'hang';
    const someone = await visit({
      scripts: [`window.Tributary = { cmd: [(widget) => { window.hostApi = widget }] }`],
    });
    await someone.page.waitForFunction('window.hostApi');
    const boot = `hostApi.boot(${JSON.stringify({ token: tokenOf('ada'), productUserDetails: {} })})`;
    await someone.run(`window.booting = ${rejection(boot)}; undefined`);
    await someone.run('hostApi.shutdown()');
    expect(await someone.run('booting')).to.deep.include({ code: 'NOT_BOOTED' });
    expect(someone.complaintsOfScripts()).to.deep.equal([]);
  });

  it('tells of opening and closing until it is asked not to', async () => {
    const someone = await visit();
    await someone.run(`window.told = [];
      window.off = hostApi.on('open', () => told.push('open'));
      hostApi.on('close', () => told.push('close')); undefined`);
    await launcher(someone).click();
    await dialog(someone).waitFor();
    expect(await launcher(someone).getAttribute('aria-expanded')).to.equal('true');
    await someone.page.keyboard.press('Escape');
    await dialog(someone).waitFor({ state: 'detached' });
    expect(await someone.run('told')).to.deep.equal(['open', 'close']);
    await someone.run('off(); hostApi.open()');
    expect(await someone.run('told')).to.deep.equal(['open', 'close']);
    expect(await launcher(someone).getAttribute('aria-expanded')).to.equal('true');
  });

  it('asks for news at each opening', async () => {
    const someone = await visit();
    await launcher(someone).click();
    await dialog(someone).waitFor();
    await someone.page.keyboard.press('Escape');
    service.script.session = {
      status: 200,
      body: { ...session, credits: { ...session.credits, earned: '12.50' } },
    };
    await launcher(someone).click();
    await dialog(someone).getByText('12.50').first().waitFor();
  });

  it('opens from a <tributary-launcher> in the page, which needs no floating one', async () => {
    const someone = await visit({
      body: '<p><tributary-launcher>Bring a <b>friend</b></tributary-launcher></p>',
    });
    const inline = someone.page.getByRole('button', { name: 'Bring a friend' });
    expect(await launcher(someone).count()).to.equal(0);
    await inline.click();
    await dialog(someone).waitFor();
    await someone.page.keyboard.press('Escape');
    await dialog(someone).waitFor({ state: 'detached' });
    expect(await someone.run(`document.activeElement.localName`)).to.equal('tributary-launcher');

    await someone.run(`document.querySelector('tributary-launcher').remove()`);
    await launcher(someone).waitFor();
    await someone.run(`document.querySelector('main').append(
      document.createElement('tributary-launcher'))`);
    expect(await launcher(someone).count()).to.equal(1); // the new one, with our words in it
    expect(
      await someone.run(
        `!!document.querySelector('tributary-widget').shadowRoot.querySelector('button')`,
      ),
    ).to.equal(false);
  });

  it('shows both launchers, or none, where boot says so', async () => {
    const body = '<tributary-launcher>Yours</tributary-launcher>';
    const both = await visit({ body, boot: { launcher: 'floating' } });
    expect(await launcher(both).count()).to.equal(1);
    expect(await both.page.getByRole('button', { name: 'Yours' }).count()).to.equal(1);
    const none = await visit({ boot: { launcher: 'none' } });
    expect(await launcher(none).count()).to.equal(0);
    await none.run('hostApi.open()');
    expect(await dialog(none).count()).to.equal(1);
  });

  it("speaks the boot's language, else the page's, with the tenant's words in it", async () => {
    const texts = { de: { 'launcher.label': 'Tee verschenken' } };
    service.script.session = { status: 200, body: { ...session, texts } };
    const german = await visit({ boot: { language: 'de-AT' } });
    await german.page.getByRole('button', { name: 'Tee verschenken' }).waitFor();
    expect(await german.run('hostApi.getLabels()')).to.include({
      'rule.welcome': 'Du bekommst 5 Credits, wenn sich jemand über deinen Link anmeldet.',
    });
    const byPage = await visit({
      head: `<script nonce="host">document.documentElement.lang = 'de'</script>`,
    });
    await byPage.page.getByRole('button', { name: 'Tee verschenken' }).waitFor();
  });

  it('finds a language by its steady address when an older entry asks for one that is gone', async () => {
    const someone = await visit({ scripts: [] });
    await someone.context.route('**/chunks/de-*.js', (route) => route.fulfill({ status: 404 }));
    await someone.run(`${bootScript({ token: tokenOf('ada'), language: 'de' })}; hostBoot`);
    await someone.page.getByRole('button', { name: 'Freunde einladen' }).waitFor();
  });

  it('speaks English when a language cannot be had', async () => {
    const someone = await visit({ scripts: [] });
    await someone.context.route(/\/de(-.*)?\.js/, (route) => route.abort());
    await someone.run(`${bootScript({ token: tokenOf('ada'), language: 'de' })}; hostBoot`);
    expect(await someone.run('hostBoot')).to.equal('booted');
    await launcher(someone).waitFor();
  });

  it('is written from right to left where boot says so', async () => {
    const someone = await visit({ boot: { direction: 'rtl' } });
    expect(await styleOf(someone, ['direction'])).to.deep.equal(['rtl']);
    const box = await launcher(someone).boundingBox();
    expect(box!.x).to.be.lessThan(100);
  });

  it("takes the boot's theme over the tenant's, and nothing that is no colour", async () => {
    const theme = { light: { accent: '#116633', onAccent: '#ffffff' }, cornerRadius: 4 };
    service.script.session = { status: 200, body: { ...session, theme } };
    const own = { light: { onAccent: 'red;} * {display: none', accent: '#ffee00' } };
    const someone = await visit({ boot: { theme: own } });
    // White on yellow cannot be read: black takes its place.
    expect(await styleOf(someone, ['backgroundColor', 'color'])).to.deep.equal([
      'rgb(255, 238, 0)',
      'rgb(0, 0, 0)',
    ]);
  });

  it('follows the page where it declares a colour scheme, else the visitor', async () => {
    const accents = { light: { accent: '#110000' }, dark: { accent: '#ffeeee' } };
    service.script.session = { status: 200, body: { ...session, theme: accents } };
    const dark = await visit();
    await dark.page.emulateMedia({ colorScheme: 'dark' });
    expect(await styleOf(dark, ['backgroundColor'])).to.deep.equal(['rgb(255, 238, 238)']);
    const light = await visit({ head: '<style>:root{color-scheme:light}</style>' });
    await light.page.emulateMedia({ colorScheme: 'dark' });
    expect(await styleOf(light, ['backgroundColor'])).to.deep.equal(['rgb(17, 0, 0)']);
  });
});

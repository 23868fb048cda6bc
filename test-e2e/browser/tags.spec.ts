import { expect } from 'chai';
import { attributionStub, attributionTag, bootScript, html, widgetTag } from './host-html.ts';
import { useSetting } from './setting.ts';
import { useVisitors } from './visitor.ts';
import { launcherOf, linkShown, panelOf } from './widget-parts.ts';

describe('the two script tags on a page of a customer (4.7)', function () {
  this.timeout(60_000);
  const setting = useSetting();
  const visitor = useVisitors();

  /** A page with both tags, as the documentation has them, and the given inline scripts. */
  function pageWithBoth(scripts: string[]): string {
    const { assetsUrl, site, customer } = setting;
    const head = `${attributionTag(assetsUrl)}\n${widgetTag(assetsUrl)}`;
    const url = site.page('/both', { html: html({ head, scripts }) });
    return `${url}?ucc=${customer.referrer.ucc}`;
  }

  const boot = (more = {}) => bootScript({ token: setting.customer.tokenOf('ada'), ...more });

  it('work from another origin than the assets, and nothing complains (rule 2)', async () => {
    const { page, run, complaints } = await visitor();
    const { assetsUrl, site, customer } = setting;
    expect(new URL(assetsUrl).origin).to.not.equal(site.origin);
    await page.goto(pageWithBoth([attributionStub, boot()]));
    expect(await run('hostBoot')).to.equal('booted');
    expect(await run(`TributaryAttribution('getUcc')`)).to.equal(customer.referrer.ucc);
    await launcherOf(page).click();
    expect(await linkShown(page)).to.contain(customer.referrer.ucc);
    expect(complaints()).to.deep.equal([]);
  });

  it('answer calls made before the script has loaded (rule 5)', async () => {
    const { page, run, complaints } = await visitor();
    const calls = `
      window.early = ['getUcc', 'getReferrerName', 'getCampaignConfig'].map((method) => TributaryAttribution(method));
      window.werePromises = early.every((one) => one instanceof Promise);`;
    await page.goto(pageWithBoth([attributionStub, calls, boot()]));
    expect(await run('werePromises')).to.equal(true);
    const [ucc, name, config] = await run<[string, unknown, object]>('Promise.all(early)');
    expect(ucc).to.equal(setting.customer.referrer.ucc);
    expect(name ?? null).to.equal(null); // nobody has said who Ada is
    expect(config).to.deep.equal({
      campaignId: setting.customer.campaignId,
      newUserDiscountMonth: 3,
      newUserDiscountPercentage: 0.1,
    });
    expect(complaints()).to.deep.equal([]);
  });

  it('answer calls made while the scripts are on their way', async () => {
    const { page, context, run, complaints } = await visitor();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await context.route(/tributary-(widget|attribution)\.js$/, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(pageWithBoth([attributionStub]), { waitUntil: 'commit' });
    await page.getByRole('heading').waitFor();
    await run(`window.during = TributaryAttribution('getUcc'); undefined`);
    await run(`${boot()}; undefined`);
    release();
    expect(await run('during')).to.equal(setting.customer.referrer.ucc);
    expect(await run('hostBoot')).to.equal('booted');
    expect(complaints()).to.deep.equal([]);
  });

  it('answer calls made after load, also where no stub was written', async () => {
    const { page, run, complaints } = await visitor();
    await page.goto(pageWithBoth([]));
    expect(await run(`TributaryAttribution('getUcc')`)).to.equal(setting.customer.referrer.ucc);
    await run(`${boot()}; undefined`);
    expect(await run('hostBoot')).to.equal('booted');
    expect(complaints()).to.deep.equal([]);
  });

  it('reject a method that does not exist, before and after load, and name those that do', async () => {
    const { page, run } = await visitor();
    const early = `window.wrong = TributaryAttribution('getUCC').catch((error) => error.message);`;
    await page.goto(pageWithBoth([attributionStub, early]));
    const late = `TributaryAttribution('nothing').catch((error) => error.message)`;
    for (const message of [await run('wrong'), await run(late)]) {
      expect(message).to.contain('getUcc').and.contain('getReferrerName');
      expect(message).to.contain('getCampaignConfig');
    }
  });

  it('leave no global but their two, no changed prototype, and one element', async () => {
    const bare = await visitor();
    const names = `[...Object.getOwnPropertyNames(window), ...[Object, Array, Promise, Function, String, Element,
      Node, EventTarget, History].flatMap((type) => Reflect.ownKeys(type.prototype).map((key) => type.name + '.' +
      String(key))), 'pushState is ' + String(history.pushState)].sort()`;
    await bare.page.goto(setting.site.page('/bare', { html: html({}) }));
    const before = await bare.run<string[]>(names);
    const elements = `[...document.querySelectorAll('body > *, html > *')].length`;
    const elementsBefore = await bare.run<number>(elements);

    const { page, run } = await visitor();
    await page.goto(pageWithBoth([attributionStub, boot()]));
    expect(await run('hostBoot')).to.equal('booted');
    await run(`TributaryAttribution('getCampaignConfig')`);
    await run('hostApi.open()');
    await panelOf(page).waitFor();
    const added = (await run<string[]>(names)).filter((name) => !before.includes(name));
    const ofTheHost = ['hostApi', 'hostBoot'];
    expect(added.filter((name) => !ofTheHost.includes(name))).to.deep.equal([
      'Tributary',
      'TributaryAttribution',
    ]);
    expect(await run(elements)).to.equal(elementsBefore + 1);
    expect(await run('document.querySelectorAll("head style, head link").length')).to.equal(0);
  });

  it('work once when they are on the page twice', async () => {
    const { page, run, complaints, context } = await visitor();
    const sessions: string[] = [];
    context.on('request', (request) => {
      if (request.url().endsWith('/widget/session') && request.method() === 'POST') {
        sessions.push(request.url());
      }
    });
    const { assetsUrl, site, customer } = setting;
    const tags = attributionTag(assetsUrl) + widgetTag(assetsUrl);
    const again = tags.replaceAll('.js"', '.js?again"'); // another address is another module
    const scripts = [attributionStub, boot()];
    const url = site.page('/twice', { html: html({ head: tags + again, scripts }) });
    await page.goto(`${url}?ucc=${customer.referrer.ucc}`);
    expect(await run('hostBoot')).to.equal('booted');
    expect(await run(`TributaryAttribution('getUcc')`)).to.equal(customer.referrer.ucc);
    await page.waitForLoadState('networkidle');
    expect(await launcherOf(page).count()).to.equal(1);
    expect(sessions).to.have.length(1);
    expect(complaints()).to.deep.equal([]);
  });

  it('make one widget of several: two launchers open one panel, of the user who was booted last', async () => {
    const { page, run, complaints } = await visitor();
    const body = ['First', 'Second'].map(
      (text) => `<tributary-launcher>${text}</tributary-launcher>`,
    );
    await page.goto(setting.widgetPage({ user: 'zoe', body: body.join('') }));
    expect(await run('hostBoot')).to.equal('booted');
    await page.getByRole('button', { name: 'First' }).click();
    const ofZoe = await linkShown(page);
    await page.getByRole('button', { name: 'First' }).click();
    await panelOf(page).waitFor({ state: 'hidden' });

    await run(`${boot()}; undefined`);
    expect(await run('hostBoot')).to.equal('booted');
    await page.getByRole('button', { name: 'Second' }).click();
    expect(await linkShown(page))
      .to.contain(setting.customer.referrer.ucc)
      .and.not.equal(ofZoe);
    expect(await panelOf(page).count()).to.equal(1);
    expect(await launcherOf(page).count()).to.equal(0); // with launchers in the page none floats
    expect(complaints()).to.deep.equal([]);
  });
});

import { expect } from 'chai';
import type { Route } from 'playwright-core';
import { attributionStub, attributionTag, bootScript, html, widgetTag } from './host-html.ts';
import { useSetting } from './setting.ts';
import { useVisitors } from './visitor.ts';
import { launcherOf, linkShown, panelOf } from './widget-parts.ts';

const serverError = (route: Route) => route.fulfill({ status: 500, body: 'oops' });
const cut = (route: Route) => route.abort('connectionreset');

describe('the scripts while the service fails them', function () {
  this.timeout(90_000);
  const setting = useSetting();
  const visitor = useVisitors();

  const ucc = () => setting.customer.referrer.ucc;

  for (const [title, fail] of Object.entries({ 'answers 500': serverError, 'is cut off': cut })) {
    it(`a session that ${title}: boot rejects in the end, "Try again" mends it`, async () => {
      const { page, context, run, complaintsOfScripts } = await visitor();
      let asked = 0;
      await context.route('**/widget/session', (route) => {
        if (route.request().method() === 'POST') asked += 1;
        return fail(route);
      });
      await page.goto(setting.widgetPage());
      expect(await run('hostBoot')).to.include({ name: 'TributaryError', code: 'UNAVAILABLE' });
      expect(asked).to.equal(3);
      await launcherOf(page).click();
      const again = panelOf(page).getByRole('button', { name: 'Try again' });
      await again.waitFor();
      await context.unroute('**/widget/session');
      await again.click();
      expect(await linkShown(page)).to.contain(ucc());
      expect(complaintsOfScripts()).to.deep.equal([]);
    });
  }

  it('a session that fails once is asked for again, and boot resolves', async () => {
    const { page, context, run, complaintsOfScripts } = await visitor();
    await context.route('**/widget/session', serverError, { times: 1 });
    await page.goto(setting.widgetPage());
    expect(await run('hostBoot')).to.equal('booted');
    expect(complaintsOfScripts()).to.deep.equal([]);
  });

  it('offline after the boot: the panel keeps what it knew, and is asked anew when online', async () => {
    const { page, context, run, complaintsOfScripts } = await visitor();
    await page.goto(setting.widgetPage());
    expect(await run('hostBoot')).to.equal('booted');
    await launcherOf(page).click();
    expect(await linkShown(page)).to.contain(ucc());
    await page.keyboard.press('Escape');
    await context.setOffline(true);
    await run('hostApi.open()');
    await panelOf(page)
      .getByText(/No connection/)
      .first()
      .waitFor();
    expect(await linkShown(page)).to.contain(ucc());
    await context.setOffline(false); // the browser says `online`
    await panelOf(page)
      .getByText(/No connection/)
      .first()
      .waitFor({ state: 'hidden' });
    expect(await linkShown(page)).to.contain(ucc());
    expect(complaintsOfScripts()).to.deep.equal([]);
  });

  it('a panel that an older entry no longer finds comes from its steady address', async () => {
    const { page, context, run, complaintsOfScripts } = await visitor();
    let refused = 0;
    await context.route('**/app/latest/chunks/panel-*.js', (route) => {
      refused += 1;
      return route.fulfill({ status: 404, headers: { 'access-control-allow-origin': '*' } });
    });
    await page.goto(setting.widgetPage());
    await run('hostBoot');
    await launcherOf(page).click();
    expect(await linkShown(page)).to.contain(ucc());
    expect(refused).to.be.at.least(1);
    expect(complaintsOfScripts()).to.deep.equal([]);
  });

  it('a panel that cannot be had leaves the page whole, and comes at the next try', async () => {
    const { page, context, run, complaintsOfScripts } = await visitor();
    const panels = /\/app\/latest\/(panel|chunks\/panel-[^/]*)\.js/;
    await context.route(panels, cut);
    await page.goto(setting.widgetPage());
    expect(await run('hostBoot')).to.equal('booted');
    const button = launcherOf(page);
    const tried = page.waitForEvent('requestfailed', (one) => /\/panel\.js/.test(one.url()));
    await button.click();
    await tried;
    await context.unroute(panels);
    // Chromium remembers a module that failed for the life of the page: another address is asked.
    await button.click();
    expect(await linkShown(page)).to.contain(ucc());
    expect(complaintsOfScripts()).to.deep.equal([]);
  });

  const faults: Record<string, (route: Route) => unknown> = {
    'answers 500': serverError,
    'is cut off': cut,
    'never answers': () => undefined,
    'answers what is no JSON': (route) => route.fulfill({ status: 200, body: '<html>' }),
    'answers JSON of another kind': (route) =>
      route.fulfill({
        json: { campaignConfig: 7, referrerName: {}, windowDays: 'x' },
        headers: { 'access-control-allow-origin': '*' },
      }),
  };
  for (const [title, fail] of Object.entries(faults)) {
    it(`a configuration that ${title}: getUcc works, the others give nothing`, async () => {
      const { page, context, run, complaintsOfScripts } = await visitor();
      await context.route('**/widget/campaign-config?*', fail);
      const { assetsUrl, site, customer } = setting;
      const head = attributionTag(assetsUrl);
      const url = site.page('/landing', { html: html({ head, scripts: [attributionStub] }) });
      await page.goto(`${url}?ucc=${customer.referrer.ucc}`);
      expect(await run(`TributaryAttribution('getUcc')`)).to.equal(customer.referrer.ucc);
      expect(await run(`TributaryAttribution('getCampaignConfig')`)).to.deep.equal({});
      expect((await run(`TributaryAttribution('getReferrerName')`)) ?? null).to.equal(null);
      expect(await run('document.cookie')).to.contain(customer.referrer.ucc);
      expect(complaintsOfScripts()).to.deep.equal([]);
    });
  }

  it('scripts that never come leave the page as it was', async () => {
    const { page, context, run, complaintsOfScripts } = await visitor();
    await context.route(`${setting.assetsUrl}/**`, cut);
    const { assetsUrl, site, customer } = setting;
    const head = attributionTag(assetsUrl) + widgetTag(assetsUrl);
    const scripts = [attributionStub, bootScript({ token: customer.tokenOf('ada') })];
    await page.goto(site.page('/alone', { html: html({ head, scripts }) }));
    expect(await run(`document.querySelectorAll('body > *').length`)).to.equal(1);
    expect(complaintsOfScripts()).to.deep.equal([]);
  });
});

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { launchProfile } from './chromium.ts';
import {
  attributionStub,
  attributionTag,
  bootScript,
  html,
  strictPolicy,
  widgetTag,
} from './host-html.ts';
import { useSetting } from './setting.ts';
import { useVisitors, type Visitor, visitorOf } from './visitor.ts';
import { launcherOf, linkShown, lookOf, panelAtRest, panelOf } from './widget-parts.ts';

describe('the scripts on pages that make it hard for them', function () {
  this.timeout(60_000);
  const setting = useSetting();
  const visitor = useVisitors();

  /** Both scripts, at the path, in a visit that followed Ada's link. */
  async function visit(
    { page }: Visitor,
    more: { headers?: Record<string, string>; head?: string; body?: string } = {},
  ): Promise<void> {
    const { assetsUrl, site, customer } = setting;
    const { head = '', headers = {}, body } = more;
    const tags = attributionTag(assetsUrl) + widgetTag(assetsUrl);
    const scripts = [attributionStub, bootScript({ token: customer.tokenOf('ada') })];
    const text = html({ head: head + tags, scripts, ...(body === undefined ? {} : { body }) });
    const url = site.page('/hard', { html: text, headers });
    await page.goto(`${url}?ucc=${customer.referrer.ucc}`);
  }

  async function expectBothToWork({ page, run }: Visitor): Promise<void> {
    const { ucc } = setting.customer.referrer;
    expect(await run(`TributaryAttribution('getUcc')`)).to.equal(ucc);
    expect(await run('hostBoot')).to.equal('booted');
    await launcherOf(page).click();
    expect(await linkShown(page)).to.contain(ucc);
  }

  it('work under the documented strict policy with Trusted Types, without one violation', async () => {
    const someone = await visitor();
    const policy = strictPolicy(setting.assetsUrl);
    await visit(someone, { headers: { 'content-security-policy': policy } });
    await expectBothToWork(someone);
    await someone.page.getByRole('button', { name: 'QR code' }).click();
    await someone.page.getByRole('img', { name: /QR code/ }).waitFor();
    await someone.page.keyboard.press('Escape');
    expect(someone.complaints()).to.deep.equal([]);
  });

  it('work with an opaque origin, where cookies and storage throw', async () => {
    const someone = await visitor();
    await visit(someone, { headers: { 'content-security-policy': 'sandbox allow-scripts' } });
    const reached = `(() => { try { return document.cookie + localStorage.length } catch (e) { return e.name } })()`;
    expect(await someone.run(reached)).to.equal('SecurityError');
    await expectBothToWork(someone);
    expect(await someone.run(`TributaryAttribution('getCampaignConfig')`)).to.deep.equal({});
    expect(someone.complaints()).to.deep.equal([]);
  });

  it('work where document.cookie keeps nothing', async () => {
    const someone = await visitor();
    const session = await someone.context.newCDPSession(someone.page);
    await session.send('Emulation.setDocumentCookieDisabled', { disabled: true });
    await visit(someone);
    await expectBothToWork(someone);
    expect(await someone.run('document.cookie')).to.equal('');
    expect(someone.complaints()).to.deep.equal([]);
  });

  it('work for a person who blocks all cookies in the browser', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tributary-profile-'));
    await mkdir(join(directory, 'Default'));
    const blocked = { profile: { default_content_setting_values: { cookies: 2 } } };
    await writeFile(join(directory, 'Default', 'Preferences'), JSON.stringify(blocked));
    const context = await launchProfile(directory);
    try {
      const someone = await visitorOf(context, await context.newPage());
      await visit(someone);
      await someone.run(`document.cookie = 'mine=1'; undefined`);
      expect(await someone.run('document.cookie')).to.equal('');
      await expectBothToWork(someone);
      expect(await someone.run(`TributaryAttribution('getCampaignConfig')`)).to.include({
        newUserDiscountMonth: 3,
      });
      expect(someone.complaints()).to.deep.equal([]);
    } finally {
      await context.close();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  it('look the same where the page resets and hides everything by its styles', async () => {
    const plain = await visitor();
    await visit(plain);
    const looks = await looksOf(plain);
    expect(looks.inside).to.have.length.above(10);
    expect(looks.button).to.include({ visibility: 'visible', opacity: '1' });

    const reset = await visitor();
    const everything = `* { all: unset !important; font: 40px/3 fantasy !important; color: red !important;
      display: none !important; box-sizing: content-box !important; direction: rtl !important }
      html { font-size: 8px !important; letter-spacing: 9px !important } html, body { display: block !important;
      transform: scale(1.001); filter: blur(1px); overflow: hidden !important }
      button, div, a, dialog, ul { margin: 50px !important; z-index: -1 !important; opacity: 0.1 !important }`;
    await visit(reset, { head: `<style>${everything}</style>` });
    expect(await looksOf(reset)).to.deep.equal(looks);
  });

  it('lie above whatever the page puts on top', async () => {
    const someone = await visitor();
    const overlay = `<div style="position:fixed;inset:0;z-index:2147483647;background:white">cookie banner</div>`;
    await visit(someone, { body: overlay });
    await expectBothToWork(someone); // the click itself would be refused under the overlay
  });

  it('open their panel over a modal dialog of the page', async () => {
    const someone = await visitor();
    await visit(someone, {
      body: '<dialog id="d"><p>Yours</p><tributary-launcher>Invite</tributary-launcher></dialog>',
    });
    await someone.run('hostBoot');
    await someone.run(`document.querySelector('#d').showModal()`);
    await someone.page.getByRole('button', { name: 'Invite' }).click();
    const { ucc } = setting.customer.referrer;
    expect(await linkShown(someone.page)).to.contain(ucc);
    // What lies outside a modal dialog is inert: shown, but not to be used.
    await panelOf(someone.page).getByRole('button', { name: 'QR code' }).click();
    await panelOf(someone.page)
      .getByRole('img', { name: /QR code/ })
      .waitFor();
  });
});

/** Places, sizes and computed looks of what the widget shows, button and panel. */
async function looksOf({ page, run }: Visitor) {
  expect(await run('hostBoot')).to.equal('booted');
  const button = launcherOf(page);
  const closed = await lookOf(button);
  await button.click();
  const dialog = panelOf(page);
  await dialog.getByRole('heading').first().waitFor();
  await panelAtRest(page);
  const inside = await dialog.locator('button, a, input, h2, h3, p, dt, dd, li').all();
  return {
    button: closed,
    dialog: await lookOf(dialog),
    inside: await Promise.all(inside.map(lookOf)),
  };
}

import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type { BrowserContextOptions } from 'playwright-core';
import { axeFindings } from './axe.ts';
import { useSetting, type WidgetPage } from './setting.ts';
import { useVisitors, type Visitor } from './visitor.ts';
import { isFocused, launcherOf, linkShown, panelAtRest, panelOf } from './widget-parts.ts';

const phone = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
};
const desktop = { viewport: { width: 1280, height: 800 } };

describe('the widget for everybody', function () {
  this.timeout(60_000);
  const setting = useSetting();
  const visitor = useVisitors();

  before(async () => {
    const { client, referrer } = setting.customer;
    const occurredAt = new Date().toISOString();
    const newUser = { id: 'ben', name: 'Ben Thistlewood' };
    await client.signupCreated({ ucc: referrer.ucc, occurredAt, newUser });
  });

  async function opened(options: BrowserContextOptions, more: WidgetPage = {}): Promise<Visitor> {
    const someone = await visitor(options);
    await someone.page.goto(setting.widgetPage(more));
    await someone.run('hostBoot');
    await someone.run('hostApi.open()');
    await panelOf(someone.page).waitFor();
    await panelAtRest(someone.page);
    return someone;
  }

  const states: Record<string, { more: WidgetPage; text: string | RegExp }> = {
    'with referrals': { more: {}, text: 'Signed up' },
    empty: { more: { user: 'nobody-yet' }, text: 'Your first referral will show up here' },
    unauthorized: { more: { boot: { token: 'nonsense' } }, text: /not authorized/ },
    'in German': { more: { boot: { language: 'de' } }, text: /Empfehlungen/i },
    'from right to left': { more: { boot: { direction: 'rtl' } }, text: 'Signed up' },
  };
  for (const [state, { more, text }] of Object.entries(states)) {
    for (const [width, size] of Object.entries({ phone, desktop })) {
      it(`axe finds nothing: ${state}, ${width}, light and dark`, async () => {
        const { page } = await opened({ ...size, colorScheme: 'light' }, more);
        await panelOf(page)
          .getByText(text)
          .first()
          .waitFor({ timeout: patiently(30_000) });
        expect(await axeFindings(page)).to.deep.equal([]);
        await page.emulateMedia({ colorScheme: 'dark' });
        expect(await axeFindings(page)).to.deep.equal([]);
      });
    }
  }

  it('axe finds nothing about the launcher alone', async () => {
    const { page, run } = await visitor(desktop);
    await page.goto(setting.widgetPage());
    await run('hostBoot');
    expect(await axeFindings(page)).to.deep.equal([]);
  });

  it('is used by keyboard alone: opened, gone through, closed, and back where one was', async () => {
    const { page, run } = await visitor(desktop);
    await page.goto(setting.widgetPage({ body: '<a href="#x">First link</a>' }));
    await run('hostBoot');
    const button = launcherOf(page);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await isFocused(button)).to.equal(true);
    await page.keyboard.press('Enter');
    const dialog = panelOf(page);
    expect(await linkShown(page)).to.contain(setting.customer.referrer.ucc);
    expect(await run(focusPath)).to.contain('dialog');
    // Everything in it can be reached, and the focus does not fall behind the page's back.
    const reached = new Set<string>();
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('Tab');
      reached.add(await run<string>(focusedText));
    }
    for (const name of ['Copy', 'Close', 'Email', 'QR code']) {
      expect(
        [...reached].some((text) => text.includes(name)),
        name,
      ).to.equal(true);
    }
    if (await dialog.isHidden()) throw new Error('the panel closed while it was gone through');
    await dialog.getByRole('button', { name: 'Copy' }).focus();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(await isFocused(button)).to.equal(true);
  });

  it('copies the link and says so, also to those who do not see it', async () => {
    const someone = await visitor({
      ...desktop,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page, run } = someone;
    await page.goto(setting.widgetPage());
    await run('hostBoot');
    await run(
      `window.copied = new Promise((resolve) => hostApi.on('copied', resolve)); hostApi.open()`,
    );
    const said = page
      .getByRole('status')
      .filter({ hasText: /copied/i })
      .first();
    // It is said for a moment only.
    await Promise.all([
      said.waitFor(),
      panelOf(page).getByRole('button', { name: 'Copy' }).click(),
    ]);
    const { link } = await run<{ link: string }>('hostApi.getLink()');
    expect(await run('copied')).to.deep.equal({ link });
    expect(await run('navigator.clipboard.readText()')).to.equal(link);
  });

  it('copies on a page that has no clipboard (http)', async () => {
    const { page, run, complaints } = await visitor(desktop);
    await page.goto(setting.widgetPage({ hostname: 'www.acme.example' }));
    expect(await run('[isSecureContext, typeof navigator.clipboard]')).to.deep.equal([
      false,
      'undefined',
    ]);
    await run('hostBoot');
    await run('hostApi.open()');
    const said = panelOf(page)
      .getByText(/copied|selected/i)
      .first();
    await Promise.all([
      said.waitFor(),
      panelOf(page).getByRole('button', { name: 'Copy' }).click(),
    ]);
    expect(complaints()).to.deep.equal([]);
  });

  it('fits a phone: nothing beyond its edges, and targets for a thumb', async () => {
    const { page, run } = await opened(phone);
    expect(await linkShown(page)).to.contain(setting.customer.referrer.ucc);
    expect(await run('document.documentElement.scrollWidth <= innerWidth')).to.equal(true);
    for (const control of await panelOf(page).getByRole('button').all()) {
      const box = await control.boundingBox();
      if (box === null) continue;
      const name = await control.textContent();
      expect(Math.min(box.width, box.height), `${name}`).to.be.at.least(24); // WCAG 2.5.8
      expect(box.x, `${name}`).to.be.at.least(0);
      expect(box.x + box.width, `${name}`).to.be.at.most(390);
    }
  });
});

/** The innermost focused element, through all shadow roots. */
const innermost = `(() => {
  let one = document.activeElement;
  const path = [];
  while (one) { path.push(one); one = one.shadowRoot?.activeElement ?? null; }
  return path;
})()`;

/** The roles and names of what surrounds the focus. */
const focusPath = `(() => {
  const names = [];
  let one = ${innermost}.at(-1);
  while (one) {
    names.push(one.getAttribute?.('role') ?? one.localName ?? '');
    one = one.parentNode ?? one.host ?? null;
  }
  return names;
})()`;

const focusedText = `(() => {
  const one = ${innermost}.at(-1);
  return one ? (one.getAttribute('aria-label') ?? '') + ' ' + (one.textContent ?? '') : '';
})()`;

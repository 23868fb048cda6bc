import { patience } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type { FrameLocator, Page } from 'playwright-core';
import { sharedDemo } from '../shared-stack.ts';
import { createCustomerOfPages, type CustomerOfPages } from './customer-of-pages.ts';
import { type OpenedPage, openPageAs } from './opened-page.ts';

// The real widget beside its settings, before anybody saves them.

describe('the preview of the widget, in the browser', function () {
  this.timeout(90_000 * patience);
  let customer: CustomerOfPages;
  let opened: OpenedPage;
  let page: Page;
  let complaints: string[];
  let frame: FrameLocator;
  /** The paths that were asked for, beside files. */
  const asked: string[] = [];

  before(async () => {
    const demo = await sharedDemo();
    customer = await createCustomerOfPages(demo);
    const { tenantId } = customer;
    const viewport = { width: 1400, height: 1000 };
    opened = await openPageAs(demo, 'developer', { tenantId, viewport });
    ({ page, complaints } = opened);
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await opened.open('widget');
    frame = page.frameLocator('iframe[title="Preview of the widget"]');
    await frame.getByRole('dialog').waitFor();
  });
  after(async () => {
    await opened?.close();
    await customer?.receiver.stop();
  });
  afterEach(() => expect(complaints).to.deep.equal([]));

  it('shows what is typed, and leaves the focus where somebody types', async () => {
    await type({
      texts: { en: { 'panel.title': 'Tea for two', 'rule.welcome': 'A tin of tea.' } },
    });
    await frame.getByRole('heading', { name: 'Tea for two' }).waitFor();
    await frame.getByText('A tin of tea.').waitFor();
    await page.keyboard.type(' ');
    expect(await editor().textContent()).to.match(/\} $/);
  });

  it('keeps the last that was whole while something is half typed', async () => {
    await page.keyboard.type('{');
    await page.getByText('This is not JSON yet').waitFor();
    await frame.getByRole('heading', { name: 'Tea for two' }).waitFor();
  });

  it('asks nobody and writes nothing', async () => {
    expect(asked.filter((path) => path.startsWith('/widget/'))).to.deep.equal([]);
    expect(await settings()).to.deep.include({ texts: {} });
    const [, inner] = page.frames();
    expect(await inner!.evaluate('origin')).to.equal('null');
    const reach = "fetch.toString().includes('native') || parent.document";
    expect(await inner!.evaluate(reach).catch((error: Error) => error.message)).to.match(
      /Blocked a frame with origin "null"/,
    );
  });

  it('is light or dark, in any language that it has texts of, as the address says', async () => {
    await type({ texts: { fr: { 'panel.title': 'Du thé pour deux' } } });
    await page.getByLabel('Language').selectOption('fr');
    await frame.getByRole('heading', { name: 'Du thé pour deux' }).waitFor();
    await page.getByLabel('Language').selectOption('de');
    await frame.getByRole('heading', { name: 'Freunde einladen' }).waitFor();
    await page.getByLabel('Colour scheme').selectOption('dark');
    await frame.locator('html[style*=dark]').waitFor();
    expect(new URL(page.url()).search).to.equal('?language=de&scheme=dark');
  });

  it('undoes what was typed, and saves what shall stay', async () => {
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await editor().textContent()).to.not.include('thé');
    await type({ ...(await settings()), texts: { de: { 'panel.title': 'Tee für zwei' } } });
    await frame.getByRole('heading', { name: 'Tee für zwei' }).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
    expect(await settings()).to.deep.include({ texts: { de: { 'panel.title': 'Tee für zwei' } } });
    await page.reload();
    await frame.getByRole('heading', { name: 'Tee für zwei' }).waitFor();
  });

  it('says so where the widget cannot be loaded', async () => {
    await page.route('**/app/latest/tributary-widget.js', (route) => route.abort());
    await page.reload();
    await page.getByText('The widget cannot be loaded from here').waitFor();
    expect(complaints.splice(0)).to.deep.equal(['error: Failed to load resource: net::ERR_FAILED']);
  });

  const editor = () => page.getByRole('textbox', { name: 'Settings as JSON' });

  async function type(value: object): Promise<void> {
    await editor().click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(JSON.stringify(value));
  }

  const settings = () =>
    customer.admin.call<Record<string, unknown>>('GET', `${customer.at}/widget`);
});

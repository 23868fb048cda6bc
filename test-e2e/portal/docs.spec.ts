import { expect } from 'chai';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { patience } from '@tributary/testkit/patience';
import { sharedChromium } from '../browser/chromium.ts';
import { sharedDemo } from '../shared-stack.ts';
import { axeFindingsOf, schemes, watchedPage, widths } from './watched-page.ts';

// The public documentation, as somebody reads it.

const pages = ['', '/integration', '/webhooks', '/errors', '/admin-api', '/widget', '/runbooks'];

describe('the documentation, in the browser', function () {
  this.timeout(60_000 * patience);
  let baseUrl: string;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];

  before(async () => {
    ({ baseUrl } = await sharedDemo());
  });
  beforeEach(async () => {
    await open({ viewport: { width: 1280, height: 800 } });
  });
  afterEach(async () => {
    await context.close();
    expect(complaints).to.deep.equal([]);
  });

  it('is searched from any page, by keyboard alone', async () => {
    await page.goto('/docs/campaigns');
    await page.keyboard.press('/');
    await page.keyboard.type('idempotency_conflict');
    const found = page.getByRole('search').getByRole('listitem');
    await found.first().getByText('Errors', { exact: true }).waitFor();
    expect(await page.getByRole('search').getByRole('status').textContent()).to.match(/place/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/errors#IDEMPOTENCY_CONFLICT');
    await page.getByRole('heading', { name: 'IDEMPOTENCY_CONFLICT' }).waitFor();
  });

  it('says so when a search finds nothing, and shows what was typed as text', async () => {
    await page.goto('/docs/runbooks');
    const input = page.getByRole('searchbox', { name: 'Search the documentation' });
    await input.fill('<img src=x onerror=alert(1)>');
    await page.getByRole('search').getByText('Nothing found').waitFor();
    await input.fill('POST /token');
    const first = page.getByRole('search').getByRole('link').first();
    await first.getByText('POST /token').waitFor();
    expect(await first.getAttribute('href')).to.equal('/docs/api#operation/createToken');
    await page.keyboard.press('Escape');
    await first.waitFor({ state: 'hidden' });
  });

  it('shows the ids of the demo’s tenant in samples, and a placeholder for its secret', async () => {
    const { tenants } = await sharedDemo();
    const { accessKeyId, secretAccessKey, referrer, tenantId } = tenants[0]!;
    await page.goto('/docs/integration');
    await page.getByText('contain the ids of this demo’s tenant').waitFor();
    const samples = (await page.locator('pre').allTextContents()).join('\n');
    expect(samples).to.contain(`accessKeyId\\": \\"${accessKeyId}`);
    expect(samples).to.contain(`"ucc": "${referrer.ucc}"`);
    expect(samples).to.contain(`${baseUrl}/v2/events/purchase-created`);
    expect(samples).to.contain('$SECRET_ACCESS_KEY').and.not.to.contain(secretAccessKey);
    await page.goto('/docs/campaigns');
    await page.getByText(`campaign show launch --tenant ${tenantId}`).first().waitFor();
    await page.goto('/docs/erasure');
    expect(await page.getByText('of this demo’s tenant').count()).to.equal(0);
  });

  it('shows beside the text what is being read', async () => {
    await page.goto('/docs/integration');
    const contents = page.getByRole('navigation', { name: 'On this page' });
    const current = contents.locator('[aria-current=location]');
    for (const [id, heading] of [
      ['3-values', '3. Values'],
      ['a-key-made-of-the-content', 'A key made of the content'],
      ['6-errors', '6. Errors'],
    ]) {
      await page.evaluate(`document.getElementById('${id}').scrollIntoView()`);
      await current.filter({ hasText: heading! }).waitFor();
      expect(await current.count()).to.equal(1);
    }
    await contents.getByRole('link', { name: '2. Send an event' }).click();
    await current.filter({ hasText: '2. Send an event' }).waitFor();
  });

  it('copies a sample as it stands there', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto('/docs/errors');
    const sample = page.locator('.sample').first();
    await sample.getByRole('button', { name: 'Copy' }).click();
    await sample.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(JSON.parse(copied)).to.include({ code: 'VALIDATION_ERROR' });
    expect(`${copied}\n`).to.equal(await sample.locator('pre').textContent());
  });

  it('is plain text and links without a script', async () => {
    await context.close();
    await open({ javaScriptEnabled: false });
    await page.goto('/docs/errors');
    await page.getByRole('heading', { name: 'Problem codes' }).waitFor();
    const contents = page.getByRole('navigation', { name: 'On this page' });
    await contents.getByRole('link', { name: 'VALIDATION_ERROR' }).click();
    await page.waitForURL('**/docs/errors#VALIDATION_ERROR');
    expect(await page.getByRole('searchbox').count()).to.equal(0);
    expect(await page.getByRole('button').count()).to.equal(0);
  });

  for (const scheme of schemes) {
    it(`has nothing that axe finds wrong, and fits every width, when it is ${scheme}`, async () => {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      for (const path of pages) {
        await page.setViewportSize({ width: widths.desktop, height: 900 });
        await page.goto(`/docs${path}`);
        if (path === '/errors') await page.getByRole('searchbox').fill('refund');
        if (path === '/errors') await page.getByRole('search').getByRole('link').first().waitFor();
        expect(await axeFindingsOf(page), path).to.deep.equal([]);
        await page.setViewportSize({ width: widths.phone, height: 900 });
        const wider = 'document.documentElement.scrollWidth - window.innerWidth';
        expect(await page.evaluate(wider), path).to.equal(0);
      }
      expect(await axeFindingsOf(page)).to.deep.equal([]);
    });
  }

  async function open(options: BrowserContextOptions): Promise<void> {
    context = await (await sharedChromium()).newContext({ baseURL: baseUrl, ...options });
    context.setDefaultTimeout(15_000 * patience);
    ({ page, complaints } = await watchedPage(context, baseUrl));
  }
});

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { createAdminClient } from '../../deploy/demo/admin-client.ts';
import type { Demo } from '../../deploy/demo/demo-file.ts';
import { sharedDemo } from '../shared-stack.ts';
import { type OpenedPage, openPageAs } from './opened-page.ts';
import { type ListedPage, listedPages } from './page-table.ts';
import { createCustomerOfPages, type CustomerOfPages } from './customer-of-pages.ts';
import { signUpAs } from './people-of-roles.ts';
import { schemes } from './watched-page.ts';

// Not a spec, but what takes pictures of all pages for people to look at: full, empty and where the
// server fails, in both schemes, on a phone and on a desk.
//
//   PORTAL_PICTURES=/tmp/pictures npx mocha test-e2e/portal/pictures.ts

const folder = process.env['PORTAL_PICTURES'];
if (folder === undefined) throw new Error('PORTAL_PICTURES names the folder to write to');

const sizes = { desktop: { width: 1_280, height: 860 }, phone: { width: 360, height: 780 } };
const pages = listedPages.filter(({ path }) => !path.includes('{'));
const inItself = ({ path }: ListedPage) => path.startsWith('ledger') || path.includes('launch');

describe('pictures of the portal', function () {
  this.timeout(120_000);
  let demo: Demo;
  let customer: CustomerOfPages;
  let full: OpenedPage;
  let empty: OpenedPage;

  before(async () => {
    await mkdir(folder, { recursive: true });
    demo = await sharedDemo();
    customer = await createCustomerOfPages(demo, { name: 'Nordlicht Analytics' });
    const admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
    for (const name of ['王小明', 'سلمى', 'Ben Thistlewood', 'Zoë Quartermaine']) {
      await customer.buy(`inv-${name}`, { id: name, name });
    }
    const tenantId = `${customer.tenantId}-empty`;
    await admin.call('POST', '/api/tenants', { tenantId, name: 'Just begun' });
    const job = { kind: 'verify', params: { tenantId: customer.tenantId } };
    await admin.call('POST', '/api/replay/jobs', job);
    await signUpAs(demo, 'reviewer', customer.tenantId);
    full = await openPageAs(demo, 'operator', customer);
    empty = await openPageAs(demo, 'operator', { tenantId });
    for (const { page } of [full, empty]) page.setDefaultTimeout(20_000);
  });
  after(async () => {
    await full?.close();
    await empty?.close();
    await customer?.receiver.stop();
  });

  for (const listed of pages) {
    const path = listed.path.replace('acme-user-ada', 'ada');
    const name = path.replace(/\W+/g, '-');

    it(`${path}: full`, async () => {
      await full.open(path);
      await settled(full.page);
      await take(full.page, `${name}-full`);
    });

    for (const [index, [state, bringAbout]] of Object.entries(listed.states ?? {}).entries()) {
      // These are of the demo's people, and make events.
      if (/^somebody who is open|^a first run/.test(state) && path !== 'members') continue;
      it(`${path}: full, with ${state}`, async () => {
        await full.open(path);
        await settled(full.page);
        await bringAbout(full.page);
        await settled(full.page);
        await take(full.page, `${name}-open-${index + 1}`);
      });
    }

    if (!inItself(listed)) {
      it(`${path}: empty`, async () => {
        await empty.open(path);
        await settled(empty.page);
        await take(empty.page, `${name}-empty`);
      });
    }

    it(`${path}: where the server fails`, async () => {
      const ofPage = /\/api\/(tenants\/[^/]+\/|replay|health|deployment)/;
      await empty.page.route(ofPage, (route) =>
        route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{}' }),
      );
      await empty.open(path);
      await settled(empty.page);
      await take(empty.page, `${name}-error`);
      await empty.page.unroute(ofPage);
    });
  }

  /** Until nothing loads; what goes on for ever is looked at as it is then. */
  async function settled(page: Page): Promise<void> {
    const loading = page.getByText('Loading …');
    await loading
      .first()
      .waitFor({ state: 'detached', timeout: 15_000 })
      .catch(() => undefined);
    await page.evaluate('document.fonts.ready');
  }

  async function take(page: Page, name: string): Promise<void> {
    for (const [size, viewport] of Object.entries(sizes)) {
      await page.setViewportSize(viewport);
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
        const path = join(folder!, `${name}-${size}-${colorScheme}.png`);
        await page.screenshot({ path, animations: 'disabled' });
      }
    }
  }
});

import { randomBytes } from 'node:crypto';
import { eventually } from '@tributary/testkit/eventually';
import { isLong } from '@tributary/testkit/long-run';
import { patience } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { createAdminClient } from '../../deploy/demo/admin-client.ts';
import type { Demo } from '../../deploy/demo/demo-file.ts';
import { sharedDemo } from '../shared-stack.ts';
import { makeDemoRecords } from './demo-records.ts';
import { type OpenedPage, openPageAs } from './opened-page.ts';
import { type ListedPage, listedPages } from './page-table.ts';
import { type Role, roles } from './people-of-roles.ts';
import { isFine, looksInTurn } from './watched-page.ts';

// Every page where nothing is there yet, before anything is answered, and where every request fails
// and then succeeds again; the roles take turns. What each shows when it is full is in
// pages.spec.ts; what they say while servers die is in test-faults/portal-pages.long.spec.ts.

/** What pages ask for, but for what the shell needs to show any page at all. */
const ofPages = /\/api\/(tenants\/[^/?]+\/|replay|health|deployment)/;
/** A preview is of a job, which somebody has to ask for: pages.spec.ts does. */
const pages = listedPages.filter(({ path }) => !path.includes('{'));
/** Nothing could be empty here: a campaign that does not exist is a draft. */
const isNeverEmpty = ({ path }: ListedPage) => path.startsWith('campaigns/');
/** These have something to show from the first moment on. */
const neverBare = new Set(['audit', 'replay', 'health']);

/** Every page in every role takes many times as long as one page in six, in a role in turn. */
function rolesFor({ roles: readers }: ListedPage, index: number): readonly Role[] {
  return isLong ? readers : [readers[index % readers.length]!];
}

type Opened = Map<Role, OpenedPage>;

describe('the states of the pages of the portal', function () {
  this.timeout(60_000 * patience);
  let demo: Demo;
  /** In a tenant that has some of everything, and in one that has just begun. */
  let full: Opened;
  let empty: Opened;

  before(async () => {
    demo = await sharedDemo();
    await makeDemoRecords(demo);
    const admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
    const tenantId = `pages-${randomBytes(4).toString('hex')}`;
    await admin.call('POST', '/api/tenants', { tenantId, name: 'Just begun' });
    // For the list of jobs; whether it has ended does not matter.
    const job = { kind: 'verify', params: { tenantId } };
    await admin.call('POST', '/api/replay/jobs', job);
    full = await openAsAll(demo.tenants[0]!.tenantId);
    empty = await openAsAll(tenantId);
    // What failed is asked for again after seconds that nobody has to wait for here.
    for (const { page } of full.values()) await page.clock.install();
  });
  after(async () => {
    for (const { close } of all()) await close();
  });
  afterEach(() => {
    const said = all().flatMap(({ complaints }) => complaints.splice(0));
    // What the browser itself says of a request that fails is no mistake of the page.
    expect(said.filter((text) => !text.startsWith('error: Failed to load'))).to.deep.equal([]);
  });

  for (const [index, listed] of pages.entries()) {
    if (!isLong && index % 6 !== 0) continue;
    for (const role of isNeverEmpty(listed) ? [] : rolesFor(listed, index)) {
      it(`${listed.path} as ${role}: where nothing is there yet`, async () => {
        const { page, open } = empty.get(role)!;
        await open(listed.path);
        await heading(page, listed);
        await loading(page).first().waitFor({ state: 'detached' });
        expect(await retries(page).count(), 'what failed').to.equal(0);
        await byApi(page).first().waitFor();
        if (!neverBare.has(listed.path)) await nothing(page).first().waitFor();
        await isFine(page, looksInTurn(index));
      });
    }

    for (const role of rolesFor(listed, index + 3)) {
      it(`${listed.path} as ${role}: where the requests fail, until they do not`, async () => {
        const { page, open } = full.get(role)!;
        const seen = Promise.withResolvers<void>();
        await page.route(ofPages, async (route) => {
          await seen.promise;
          await route.fulfill({
            status: 503,
            contentType: 'application/problem+json',
            body: JSON.stringify({ status: 503, title: 'Unavailable', detail: 'Try again later.' }),
          });
        });
        await open(listed.path);
        await heading(page, listed);
        await loading(page).first().waitFor();
        seen.resolve();
        await untilGone(page, loading(page));
        await retries(page).first().waitFor();
        await eventually(async () => {
          const shown = await page.getByRole('main').innerText();
          expect(shown, 'still asked for').to.not.match(/…$/m);
        });
        await isFine(page, looksInTurn(index));
        await page.unroute(ofPages);
        await retryAll(page);
        await listed.ready(page);
      });
    }
  }

  const all = () => [full, empty].flatMap((opened) => [...(opened?.values() ?? [])]);

  async function openAsAll(tenantId: string): Promise<Opened> {
    const opened: Opened = new Map();
    for (const role of roles) {
      const as = await openPageAs(demo, role, { tenantId });
      as.page.setDefaultTimeout(10_000 * patience);
      opened.set(role, as);
    }
    return opened;
  }

  const heading = (page: Page, { heading: name }: ListedPage) =>
    page.getByRole('heading', { level: 1, name }).waitFor();
  const loading = (page: Page) => page.getByText('Loading …');
  const retries = (page: Page) => page.getByRole('button', { name: 'Try again' });
  const byApi = (page: Page) => page.getByRole('button', { name: 'The same by API' });
  const nothing = (page: Page) =>
    page
      .getByRole('main')
      .getByText(/^(There is nothing|Nothing|Nobody|No |to do|.* yet\.|.*has not|It has no)/);

  /** The browser's clock is moved on, as often as something is asked for once more. */
  async function untilGone(page: Page, what: ReturnType<Page['getByText']>): Promise<void> {
    for (let tries = 0; tries < 20 && (await what.count()) > 0; tries += 1) {
      await page.clock.runFor(2_000);
    }
    await what.first().waitFor({ state: 'detached' });
  }

  /** One after the other: what was asked for again may take what is beside it along. */
  async function retryAll(page: Page): Promise<void> {
    await eventually(
      async () => {
        await retries(page)
          .first()
          .click({ timeout: 1_000 * patience })
          .catch(() => undefined);
        expect(await retries(page).count()).to.equal(0);
      },
      { deadlineMs: 20_000 },
    );
  }
});

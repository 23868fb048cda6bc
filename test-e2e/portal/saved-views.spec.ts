import { eventually } from '@tributary/testkit/eventually';
import { patience } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import type { Demo } from '../../deploy/demo/demo-file.ts';
import { sharedDemo } from '../shared-stack.ts';
import { type OpenedPage, openPageAs } from './opened-page.ts';
import { signUpAs } from './people-of-roles.ts';
import { axeFindingsOf, schemes, showIn } from './watched-page.ts';

// Filters of the events that somebody comes back to.

describe('saved views of the events, in the browser', function () {
  this.timeout(60_000 * patience);
  let demo: Demo;
  let tenantId: string;
  let opened: OpenedPage;
  let page: Page;

  before(async () => {
    demo = await sharedDemo();
    ({ tenantId } = demo.tenants[0]!);
    opened = await openPageAs(demo, 'analyst', { tenantId });
    ({ page } = opened);
  });
  after(() => opened?.close());
  afterEach(() => expect(opened.complaints).to.deep.equal([]));

  it('are saved by a name, and are there again as links', async () => {
    await open('events?outcome=waiting&order=oldest');
    await name('Save this view', '  Waiting \u202Elongest ');
    await open('events');
    expect(await views().getByRole('link').allTextContents()).to.deep.equal([
      'Waiting U+202Elongest',
    ]);
    await views().getByRole('link').click();
    await page.waitForURL('**/events?outcome=waiting&order=oldest');
    expect(await page.getByLabel('Outcome').inputValue()).to.equal('waiting');
    expect(await current()).to.deep.equal(['Waiting U+202Elongest']);
  });

  it('are no more the current one when a filter changes, and can be replaced', async () => {
    await page.getByLabel('Reported by').selectOption('legacy');
    await views().locator('[aria-current]').waitFor({ state: 'detached' });
    await name('Save this view', 'Legacy');
    expect(await current()).to.deep.equal(['Legacy']);
    await page.getByLabel('Reported by').selectOption('v2');
    await name('Save this view', 'Legacy');
    await open('events');
    await views().getByRole('link', { name: 'Legacy' }).click();
    await page.waitForURL(({ searchParams: { size }, search }) => {
      return size === 3 && search.includes('source=v2') && search.includes('outcome=waiting');
    });
    expect(await views().getByRole('link').count()).to.equal(2);
  });

  it('are renamed and deleted', async () => {
    await name('Rename this view', 'By the new way');
    expect(await current()).to.deep.equal(['By the new way']);
    await page.reload();
    expect(await current()).to.deep.equal(['By the new way']);
    await views().getByRole('button', { name: 'Delete this view' }).click();
    await views().getByRole('link', { name: 'By the new way' }).waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.tagName')).to.equal('NAV');
    await open('events');
    expect(await views().getByRole('link').count()).to.equal(1);
  });

  it('have nothing that axe finds wrong, with the dialog open', async () => {
    await views().getByRole('link').click();
    await views().getByRole('button', { name: 'Rename this view' }).click();
    await page.getByRole('dialog').waitFor();
    for (const scheme of schemes) {
      await showIn(page, 'phone', scheme);
      expect(await axeFindingsOf(page), scheme).to.deep.equal([]);
    }
  });

  it('nor while a sentence says that one was renamed', async () => {
    await page.keyboard.press('Escape');
    for (const scheme of schemes) {
      for (const width of ['desktop', 'tablet', 'phone'] as const) {
        await showIn(page, width, scheme);
        const said = await renamedAndPointedAt(`${width}, ${scheme}`);
        expect(await axeFindingsOf(page), `${width}, ${scheme}`).to.deep.equal([]);
        expect(await said.count()).to.equal(1);
      }
    }
  });

  it('are nobody else’s', async () => {
    const { cookie } = await signUpAs(demo, 'analyst', tenantId);
    await page.context().addCookies([{ ...cookie, url: demo.baseUrl }]);
    await open('events?outcome=waiting');
    await views().getByRole('button', { name: 'Save this view' }).waitFor();
    expect(await views().getByRole('link').count()).to.equal(0);
  });

  /** What is pointed at does not go away; on a slow machine it may have, before it can be. */
  async function renamedAndPointedAt(how: string): Promise<Locator> {
    let tries = 0;
    return eventually(async () => {
      tries += 1;
      const next = `Seen on ${how}, ${tries}`;
      await name('Rename this view', next);
      const said = page.getByText(`Renamed to ${next}.`);
      await said.hover({ timeout: 2_000 * patience });
      return said;
    });
  }

  const views = () => page.getByRole('navigation', { name: 'Saved views' });

  async function current(): Promise<string[]> {
    await views().locator('[aria-current]').waitFor();
    return views().locator('[aria-current]').allTextContents();
  }

  async function open(path: string): Promise<void> {
    await opened.open(path);
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    await views().waitFor();
  }

  /** By the dialog of a button; what it says when it is done is waited for. */
  async function name(button: string, typed: string): Promise<void> {
    await views().getByRole('button', { name: button }).click();
    await page.getByRole('dialog').getByLabel('Name').fill(typed);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
});

import { readFile } from 'node:fs/promises';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedDemo } from '../shared-stack.ts';
import { createCustomerOfPages, type CustomerOfPages, purchaseRule } from './customer-of-pages.ts';
import { listedPages } from './page-table.ts';
import { type OpenedPage, openPageAs } from './opened-page.ts';

// Whatever a customer or a user may set is text on every page, in its title and in its CSV.

const naughty = {
  script: '<script>ran=1</script><img src=x onerror=ran=2>',
  attribute: '"><svg onload=ran=3>\'`javascript:ran=4`',
  turned: 'invoice\u202Etxt.exe\u2066',
  withoutWidth: 'a\u200Bd\u200Ea\uFEFF',
  formula: "=cmd|' /C calc'!A0",
  sum: '+1+cmd|calc',
  at: '@SUM(1)',
  blank: ' ',
  scripts: '漢字と王小明 العربية עברית',
  template: '{{constructor.constructor("ran=5")()}} ${ran=6}',
} as const;
const strings = Object.values(naughty);
const emoji = '👩‍🚀'.repeat(85);
const all = `${naughty.script}${naughty.attribute}${naughty.turned}${naughty.withoutWidth}`;

/** What nobody sees, and what changes the order of what is seen. */
const hidden = /[\u200B\u200E\u202A-\u202E\u2066-\u2069\uFEFF]/u;

describe('naughty strings on the pages of the portal', function () {
  this.timeout(240_000);
  let customer: CustomerOfPages;
  let opened: OpenedPage;
  let page: Page;
  let complaints: string[];

  before(async () => {
    const demo = await sharedDemo();
    const rule = { ...purchaseRule, holdDays: 14 };
    customer = await createCustomerOfPages(demo, { rules: [rule], name: all });
    await setEveryText();
    opened = await openPageAs(demo, 'operator', customer);
    ({ page, complaints } = opened);
    page.on('dialog', (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  });
  after(async () => {
    await opened?.close();
    await customer?.receiver.stop();
  });
  afterEach(() => expect(complaints).to.deep.equal([]));

  for (const { path, heading } of listedPages.filter((each) => !each.path.includes('{'))) {
    it(`are text on ${path}`, async () => {
      await open(path);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await expectHarmless();
    });
  }

  for (const [name, string] of Object.entries(naughty)) {
    it(`are text where a person, an event or a reward is open: ${name}`, async () => {
      const found = await list('events', `invoice=${encodeURIComponent(string)}`);
      const eventId = found[0]?.['eventId'] as string;
      await open(`events?open=${eventId}`);
      await page.getByRole('heading', { name: 'Postings in the ledger' }).waitFor();
      await expectShown(string);
      const user = encodeURIComponent(string);
      await open(`people?open=${user}`);
      await page.getByRole('dialog').waitFor();
      await expectShown(string);
      await open(`ledger?recipient=${user}`);
      await expectHarmless();
      const [reward] = await list('rewards', `user=${user}`);
      await open(`rewards?open=${reward?.['rewardId'] as string}`);
      await page.getByRole('group', { name: 'The whole chain' }).waitFor();
      await expectShown(string);
    });
  }

  it('are drawn, not as the box that stands for what no font has: Chinese and Arabic', async () => {
    const drawn = await page.evaluate<string[]>(`[...'漢王عب\\u{10FFFF}'].map((character) => {
      const canvas = document.createElement('canvas');
      const drawing = canvas.getContext('2d');
      drawing.font = '40px ' + getComputedStyle(document.body).fontFamily;
      drawing.fillText(character, 20, 60);
      return canvas.toDataURL();
    })`);
    expect(new Set(drawn).size).to.equal(5);
  });

  it('are text in the JSON and in the words of a campaign, and in its revisions', async () => {
    await open('campaigns/launch');
    await page.getByRole('textbox', { name: 'The campaign as JSON' }).waitFor();
    await page.getByText('This can be saved.').waitFor();
    await expectHarmless();
    await open('campaigns/launch?tab=revisions&revision=2');
    await page.getByRole('heading', { name: 'Revision 2' }).waitFor();
    await page.locator('ins').filter({ hasText: 'ran=1' }).waitFor();
    await expectHarmless();
  });

  it('are no formulas in CSV', async () => {
    await open('events');
    await page.getByRole('table', { name: 'Events' }).waitFor();
    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const text = await readFile(await (await downloaded).path(), 'utf8');
    const cells = text.slice(1).split(/[,\r\n]+/);
    expect(text).to.contain(`'${naughty.formula}`);
    for (const cell of cells) expect(cell).to.not.match(/^"?[=+@]/);
  });

  async function setEveryText(): Promise<void> {
    const { at, admin, client, ucc } = customer;
    await admin.call('PUT', `${at}/campaigns/launch`, {
      ...{ name: all, status: 'running', landingUrl: 'https://pages.example/join' },
      ...{ creditScale: 2, rules: [{ ...purchaseRule, holdDays: 14 }] },
    });
    for (const string of [...strings, '👩‍🚀'.repeat(33)]) {
      await admin.call('POST', `${at}/access-keys`, { name: string });
      await admin.call('POST', `${at}/codes`, {
        ...{ productUserId: string, campaignId: 'launch', ucc: string },
      });
      await customer.buy(string, { id: string, name: string });
    }
    await client.purchaseCreated({
      ...{ ucc, occurredAt: new Date().toISOString(), currency: 'EUR', amount: 100 },
      ...{ newUser: { id: 'emoji', name: emoji }, invoiceId: emoji },
      subscription: { interval: 'monthly' },
    });
    await eventually(
      async () => expect(await list('rewards', 'state=held')).to.have.length(strings.length + 2),
      { deadlineMs: 60_000 },
    );
    const [reward] = await list('rewards', 'state=held');
    const path = `${at}/rewards/${reward?.['rewardId'] as string}/release`;
    await admin.call('POST', path, { by: naughty.script, note: all });
    await eventually(() => expect(customer.receiver.eventIds).to.have.length(1), {
      deadlineMs: 30_000,
    });
  }

  async function list(name: 'events' | 'rewards', query: string) {
    const path = `${customer.at}/${name}?${query}`;
    const answer = await customer.admin.call<Record<string, Record<string, unknown>[]>>(
      'GET',
      path,
    );
    return answer[name] ?? [];
  }

  async function open(path: string): Promise<void> {
    await opened.open(path);
    await page.getByText('Loading …').first().waitFor({ state: 'detached' });
  }

  /** A string as its characters, those that nobody can see by their numbers. */
  async function expectShown(string: string): Promise<void> {
    const visible = string.split(hidden).filter((piece) => piece.trim() !== '');
    for (const piece of visible) {
      await page.getByText(piece).filter({ visible: true }).first().waitFor();
    }
    await expectHarmless();
  }

  /** Nothing ran, nothing became an element, nothing is hidden. */
  async function expectHarmless(): Promise<void> {
    expect(await page.evaluate('typeof ran')).to.equal('undefined');
    expect(await page.locator('img[src=x], svg[onload]').count()).to.equal(0);
    const text = await page.evaluate<string>('document.title + document.body.innerText');
    expect(hidden.exec(text)?.input, 'shows what cannot be seen').to.equal(undefined);
  }
});

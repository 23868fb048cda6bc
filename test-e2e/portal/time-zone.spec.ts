import { eventually } from '@tributary/testkit/eventually';
import { patience } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { sharedDemo } from '../shared-stack.ts';
import { createCustomerOfPages, type CustomerOfPages } from './customer-of-pages.ts';
import { type OpenedPage, openPageAs } from './opened-page.ts';

// The one switch of the time zone, which tables, charts, tooltips and what is typed follow; what
// addresses and requests say are instants, whatever it says.

const zone = 'Europe/Berlin';

/** When somebody in Berlin says that it was, with what the clock alone does not tell. */
const nights: Readonly<Record<string, { local: string; told: string }>> = {
  '2026-03-29T00:59:59Z': { local: '2026-03-29 01:59:59', told: '2026-03-29T01:59:59+01:00' },
  '2026-03-29T01:00:00Z': { local: '2026-03-29 03:00:00', told: '2026-03-29T03:00:00+02:00' },
  '2026-10-25T00:30:00Z': { local: '2026-10-25 02:30:00', told: '2026-10-25T02:30:00+02:00' },
  '2026-10-25T01:30:00Z': { local: '2026-10-25 02:30:00', told: '2026-10-25T02:30:00+01:00' },
  // By the sun: 53 minutes and 28 seconds, which no offset can say.
  '0000-01-01T00:00:00Z': { local: '0000-01-01 00:53:28', told: '0000-01-01T00:00:00Z' },
};

describe('the time zone of the portal, in the browser', function () {
  this.timeout(90_000 * patience);
  let customer: CustomerOfPages;
  let opened: OpenedPage;
  let page: Page;

  before(async () => {
    const demo = await sharedDemo();
    customer = await createCustomerOfPages(demo);
    for (const occurredAt of Object.keys(nights)) {
      await customer.client.purchaseCreated({
        ...{ ucc: customer.ucc, occurredAt, currency: 'EUR', amount: 4_900 },
        ...{ invoiceId: invoiceOf(occurredAt), newUser: { id: `user-${occurredAt}` } },
        subscription: { interval: 'monthly' },
      });
    }
    await eventually(
      async () => {
        const path = `${customer.at}/events?source=v2`;
        const found = await customer.admin.call<{ events: { outcome: string }[] }>('GET', path);
        const decided = found.events.filter(({ outcome }) => outcome !== 'pending');
        expect(decided).to.have.length(Object.keys(nights).length);
      },
      { deadlineMs: 30_000 },
    );
    const { tenantId } = customer;
    opened = await openPageAs(demo, 'operator', { tenantId, timezoneId: zone });
    ({ page } = opened);
    page.setDefaultTimeout(10_000 * patience);
    await page.addInitScript(noteDrawnLabels);
  });
  after(async () => {
    await opened?.close();
    await customer?.receiver.stop();
  });
  afterEach(() => expect(opened.complaints).to.deep.equal([]));

  for (const path of ['events', 'rewards', 'ledger', 'webhooks', 'keys', 'audit']) {
    it(`${path}: the times of the table and their tooltips follow it`, async () => {
      await opened.open(path);
      await page.locator('table time').first().waitFor();
      await choose('utc');
      for (const { instant, shown, tooltip } of await times()) {
        expect(shown).to.equal(new Date(instant).toISOString().slice(0, 19).replace('T', ' '));
        expect(tooltip).to.equal(instant);
      }
      await choose('browser');
      const inBerlin = await times();
      expect(inBerlin).to.not.deep.equal([]);
      for (const { instant, shown, tooltip } of inBerlin) {
        expect(shown).to.equal(asInBerlin(instant));
        expect(tooltip).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+\+0[12]:00$/);
        expect(Date.parse(tooltip)).to.equal(Date.parse(instant));
      }
    });
  }

  for (const [occurredAt, { local, told }] of Object.entries(nights)) {
    it(`an event of ${occurredAt} was at ${local}`, async () => {
      const shown = await openEvent(occurredAt, 'browser');
      expect(await shown.innerText()).to.equal(local);
      expect((await shown.getAttribute('title'))?.replace('.000', '')).to.equal(told);
      const inUtc = await openEvent(occurredAt, 'utc');
      expect(await inUtc.innerText()).to.equal(occurredAt.replace('T', ' ').replace('Z', ''));
    });
  }

  it('the charts follow it, and their tables say when a day of UTC begins', async () => {
    await opened.open('overview');
    await page.locator('canvas').nth(3).waitFor();
    const inUtc = await drawnIn('utc');
    await page.getByText('As a table (Events)').click();
    const firstDay = page.getByRole('table', { name: 'Events' }).locator('tbody td').first();
    expect(await firstDay.innerText()).to.match(/^\d{4}-\d\d-\d\d$/);
    const inBerlin = await drawnIn('browser');
    const shared = [...inUtc].filter(([label]) => inBerlin.has(label));
    expect(shared.length).to.be.at.least(2);
    // Midnight in Berlin is an hour before that of UTC, which is less than a pixel.
    const moved = shared.map(([label, at]) => inBerlin.get(label)! - at);
    expect(Math.max(...moved)).to.be.at.most(0);
    expect(Math.min(...moved)).to.equal(-1);
    await page.getByText(`in your zone (${zone})`).waitFor();
    const begins = await firstDay.locator('time').innerText();
    expect(begins).to.match(/ 0[12]:00:00$/);
  });

  it('what is typed is of it, and the address and the request have the instant', async () => {
    await opened.open('events');
    await choose('browser');
    const asked = page.waitForRequest((request) => {
      const { pathname, searchParams } = new URL(request.url());
      return (
        pathname.endsWith('/events') && searchParams.get('from') === '2026-10-25T02:30:00.000Z'
      );
    });
    await page.getByLabel('From').fill('2026-10-25T03:30');
    await asked;
    expect(from()).to.equal('2026-10-25T02:30:00.000Z');
    await choose('utc');
    expect(await page.getByLabel('From').inputValue()).to.equal('2026-10-25T02:30');
    expect(from()).to.equal('2026-10-25T02:30:00.000Z');
  });

  it('is remembered', async () => {
    await choose('browser');
    await opened.open('events');
    const [first] = await times();
    expect(first?.shown).to.equal(asInBerlin(first?.instant ?? ''));
  });

  const from = () => new URL(page.url()).searchParams.get('from');

  /** Where its chain says when it was. */
  async function openEvent(occurredAt: string, which: 'utc' | 'browser'): Promise<Locator> {
    await opened.open(`events?invoice=${invoiceOf(occurredAt)}`);
    await choose(which);
    await page.locator('tbody a').first().click();
    const shown = page.locator(`time[datetime^="${occurredAt.slice(0, -1)}"]`).first();
    await shown.waitFor();
    return shown;
  }

  async function choose(which: 'utc' | 'browser'): Promise<void> {
    await page.getByRole('button', { name: 'Settings and account' }).click();
    await page.getByLabel('Times in').selectOption(which);
    await page.keyboard.press('Escape');
    await page.getByLabel('Times in').waitFor({ state: 'detached' });
  }

  async function times(): Promise<{ instant: string; shown: string; tooltip: string }[]> {
    await page.locator('table time').first().waitFor();
    return page.evaluate(`[...document.querySelectorAll('table time')].map((each) => ({
      instant: each.dateTime, shown: each.textContent, tooltip: each.title }))`);
  }

  /** Where the charts draw which label of a day, in their own pixels, when the zone is switched. */
  async function drawnIn(which: 'utc' | 'browser'): Promise<Map<string, number>> {
    await choose(which === 'utc' ? 'browser' : 'utc');
    await page.evaluate('window.drawnLabels.clear()');
    await choose(which);
    let labels: [string, number][] = [];
    await eventually(async () => {
      const drawn = await page.evaluate<[string, number][]>('[...window.drawnLabels]');
      labels = drawn.filter(([label]) => /^\d{1,2}\/\d{1,2}/.test(label));
      expect(labels.length).to.be.at.least(2);
    });
    return new Map(labels);
  }
});

/** Before anything else runs: what a canvas draws as text cannot be read from it later. */
const noteDrawnLabels = `
  window.drawnLabels = new Map();
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, ...rest) {
    window.drawnLabels.set(text, x);
    return draw.call(this, text, x, ...rest);
  };`;

function invoiceOf(occurredAt: string): string {
  return `inv-${occurredAt.replace(/\W/g, '')}`;
}

/** By a formatter that the pages do not use. */
function asInBerlin(instant: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', {
    ...{ timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  });
  return parts.format(new Date(instant));
}

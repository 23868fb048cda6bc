import { eventually } from '@tributary/testkit/eventually';
import { patience } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedDemo } from '../shared-stack.ts';
import { createCustomerOfPages, type CustomerOfPages } from './customer-of-pages.ts';
import { type OpenedPage, openPageAs } from './opened-page.ts';

// What was known about an event at an instant, which may differ from what was a millisecond later.

describe('an event as known at an instant, in the browser', function () {
  this.timeout(90_000 * patience);
  let customer: CustomerOfPages;
  let opened: OpenedPage;
  let page: Page;
  let eventId: string;
  /** Two instants of the past, both later than the event. */
  let linked: string;
  let typed: string;

  before(async () => {
    const demo = await sharedDemo();
    customer = await createCustomerOfPages(demo);
    await customer.buy('known-1');
    await eventually(
      async () => {
        type Found = { events: { eventId: string }[] };
        const { events } = await customer.admin.call<Found>('GET', `${customer.at}/events`);
        expect(events).to.have.length(1);
        ({ eventId } = events[0]!);
      },
      { deadlineMs: 30_000 },
    );
    const second = Math.ceil(Date.now() / 1_000) * 1_000;
    linked = new Date(second + 89).toISOString();
    typed = new Date(second + 1_001).toISOString();
    // The portal refuses to tell what was known at a moment up to which it has not read.
    await eventually(async () => {
      type Found = { asOf: string };
      const { asOf } = await customer.admin.call<Found>('GET', `${customer.at}/events`);
      expect(asOf > typed, `${asOf} is later than ${typed}`).to.equal(true);
    });
    opened = await openPageAs(demo, 'analyst', customer);
    ({ page } = opened);
  });
  after(async () => {
    await opened?.close();
    await customer?.receiver.stop();
  });
  afterEach(() => expect(opened.complaints).to.deep.equal([]));

  it('keeps the milliseconds of a link, and shows them', async () => {
    await opened.open(`events?open=${eventId}&asOf=${linked}`);
    const shown = linked.replace('T', ' ').replace('Z', '');
    await page.getByText(`What was known at ${shown}.`).waitFor();
    await page.getByRole('heading', { name: 'What was reported' }).waitFor();
    expect(await knownAt().inputValue()).to.equal(linked.replace('Z', ''));
    expect(asOf()).to.equal(linked);
  });

  it('asks for exactly what is typed, and writes it into the address', async () => {
    const asked = page.waitForRequest((request) => {
      const { pathname, searchParams } = new URL(request.url());
      return pathname.endsWith('/explain') && searchParams.get('asOf') === typed;
    });
    await knownAt().fill(typed.replace('Z', ''));
    await asked;
    expect(asOf()).to.equal(typed);
  });

  const knownAt = () => page.locator('input[type=datetime-local][step]');
  const asOf = () => new URL(page.url()).searchParams.get('asOf');
});

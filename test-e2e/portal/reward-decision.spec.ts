import { eventually } from '@tributary/testkit/eventually';
import { patience } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedDemo } from '../shared-stack.ts';
import { createCustomerOfPages, type CustomerOfPages, purchaseRule } from './customer-of-pages.ts';
import { type OpenedPage, openPageAs } from './opened-page.ts';

// Credits that are on hold, withheld and released on the page of rewards.

describe('decisions about rewards, in the browser', function () {
  this.timeout(90_000 * patience);
  let customer: CustomerOfPages;
  let opened: OpenedPage;
  let page: Page;

  before(async () => {
    const demo = await sharedDemo();
    customer = await createCustomerOfPages(demo, { rules: [{ ...purchaseRule, holdDays: 30 }] });
    await customer.buy('held-1');
    await stateIs('held');
    opened = await openPageAs(demo, 'reviewer', customer);
    ({ page } = opened);
    await opened.open('rewards');
    await page.getByRole('table', { name: 'Rewards' }).locator('tbody a').first().click();
  });
  after(async () => {
    await opened?.close();
    await customer?.receiver.stop();
  });
  afterEach(() => expect(opened.complaints).to.deep.equal([]));

  it('withholds one, with a note of why', async () => {
    await decide('Withhold', 'Withhold this reward?', ' looked odd ');
    const rewardId = await stateIs('withheld');
    const path = `${customer.at}/explain?reward=${rewardId}`;
    // What was done comes by another topic than what it came to.
    await eventually(
      async () => {
        const { text } = await customer.admin.call<{ text: string }>('GET', path);
        expect(text).to.include(': looked odd.');
      },
      { deadlineMs: 30_000 },
    );
  });

  it('releases it, without a note where only blanks were typed', async () => {
    await decide('Release', 'Release this reward?', '   ');
    await stateIs('issued');
    await eventually(() => expect(customer.receiver.eventIds).to.have.length(1));
  });

  async function decide(label: string, title: string, note: string): Promise<void> {
    await page.getByRole('button', { name: label, exact: true }).click();
    const dialog = page.getByRole('dialog', { name: title });
    await dialog.getByLabel('Note').fill(note);
    await dialog.getByRole('button', { name: label, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  /** Waits for the state of the one reward that there is; gives its id. */
  async function stateIs(state: string): Promise<string> {
    let rewardId = '';
    await eventually(
      async () => {
        type Found = { rewards: { rewardId: string; state: string }[] };
        const { rewards } = await customer.admin.call<Found>('GET', `${customer.at}/rewards`);
        expect(rewards.map((each) => each.state)).to.deep.equal([state]);
        ({ rewardId } = rewards[0]!);
      },
      { deadlineMs: 30_000 },
    );
    return rewardId;
  }
});

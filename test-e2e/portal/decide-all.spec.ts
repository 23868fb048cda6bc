import { eventually } from '@tributary/testkit/eventually';
import { patience } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedDemo } from '../shared-stack.ts';
import { createCustomerOfPages, type CustomerOfPages, purchaseRule } from './customer-of-pages.ts';
import { type OpenedPage, openPageAs } from './opened-page.ts';

// All rewards of a filter are decided as they were counted, whatever somebody else does meanwhile.

const rules = [
  purchaseRule,
  {
    ...{ ruleId: 'welcome', trigger: 'purchase-created', recipient: 'new-user' },
    effect: { kind: 'fixed', credits: '2.50' },
  },
];

type Reward = { rewardId: string; recipientId: string; state: string };

describe('decisions about all rewards of a filter, in the browser', function () {
  this.timeout(240_000);
  let customer: CustomerOfPages;
  let mine: OpenedPage;
  let theirs: OpenedPage;

  before(async () => {
    const demo = await sharedDemo();
    customer = await createCustomerOfPages(demo, { rules, more: { referralLoops: 'review' } });
    await makeLoop();
    for (const invoice of ['all-1', 'all-2', 'all-3', 'all-4']) await buy(invoice);
    await inReview(8);
    mine = await openPageAs(demo, 'reviewer', customer);
    theirs = await openPageAs(demo, 'reviewer', customer);
  });
  after(async () => {
    await mine?.close();
    await theirs?.close();
    await customer?.receiver.stop();
  });
  afterEach(() => {
    expect(theirs.complaints).to.deep.equal([]);
    expect(mine.complaints).to.deep.equal([]);
  });

  it('release what was counted, but what somebody withheld in the meantime', async () => {
    await mine.open('review?recipient=ada');
    const dialog = await asked(mine.page, 'Release all of these');
    await dialog.getByText('4 rewards match, 40 credits in all.').waitFor();
    await dialog.getByLabel('Note').fill('a family, as they told us');
    const hearAgain = await holdCounts(mine.page);

    await theirs.open('review?recipient=ada');
    const rows = theirs.page.getByRole('table', { name: 'Rewards to review' }).locator('tbody a');
    await rows.nth(1).click();
    const open = theirs.page.getByRole('dialog', { name: /^Reward/ });
    await open.getByRole('button', { name: 'Withhold', exact: true }).click();
    const sure = theirs.page.getByRole('dialog', { name: 'Withhold this reward?' });
    await sure.getByRole('button', { name: 'Withhold', exact: true }).click();
    await sure.waitFor({ state: 'detached' });
    const withheld = await eventually(async () => {
      const found = (await rewards()).filter(({ state }) => state === 'withheld');
      expect(found).to.have.length(1);
      return found[0]!;
    });

    await dialog.getByText('4 rewards match, 40 credits in all.').waitFor();
    await dialog.getByRole('button', { name: 'Release all of these' }).click();
    await mine.page.getByText(/^Done\./).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await eventually(
      async () => {
        const all = await rewards();
        const ofAda = all.filter(({ recipientId }) => recipientId === 'ada');
        expect(ofAda.map(({ state }) => state).sort()).to.deep.equal([
          ...['issued', 'issued', 'issued', 'withheld'],
        ]);
        expect(ofAda.find(({ state }) => state === 'withheld')).to.include({
          rewardId: withheld.rewardId,
        });
        const others = all.filter(({ recipientId }) => recipientId !== 'ada');
        expect(others.map(({ state }) => state)).to.deep.equal(Array<string>(4).fill('review'));
        expect(customer.receiver.eventIds).to.have.length(3);
      },
      { deadlineMs: 30_000 },
    );
    hearAgain();
    await mine.page.getByText('No reward waits for a decision.').or(empty(mine.page)).waitFor();
    const button = mine.page.getByRole('button', { name: 'Release all of these' });
    await button.waitFor({ state: 'detached' });
  });

  it('leave alone what came after it was counted, and have it in the list again', async () => {
    await mine.open('review?recipient=loop');
    const dialog = await asked(mine.page, 'Withhold all of these');
    await dialog.getByText('4 rewards match, 10 credits in all.').waitFor();
    const hearAgain = await holdCounts(mine.page);
    await buy('all-5');
    // Beside it the reward of the referrer.
    await inReview(6);
    await dialog.getByText('4 rewards match, 10 credits in all.').waitFor();
    await dialog.getByRole('button', { name: 'Withhold all of these' }).click();
    await dialog.waitFor({ state: 'detached' });
    await eventually(
      async () => {
        const ofLoop = (await rewards()).filter(({ recipientId }) => recipientId === 'loop');
        const states = ofLoop.map(({ state }) => state).sort();
        expect(states).to.deep.equal(['review', ...Array<string>(4).fill('withheld')]);
      },
      { deadlineMs: 30_000 },
    );
    hearAgain();
    const rows = mine.page.getByRole('table', { name: 'Rewards to review' }).locator('tbody a');
    await eventually(async () => expect(await rows.count()).to.equal(1), { deadlineMs: 30_000 });
    const again = await asked(mine.page, 'Withhold all of these');
    await again.getByText(/^1 rewards? match(es)?, 2.5 credits in all\./).waitFor();
    expect(customer.receiver.eventIds).to.have.length(3);
  });

  /** Each has signed up by the other's code: whatever they buy is to be looked at. */
  async function makeLoop(): Promise<void> {
    const { admin, at, client } = customer;
    const code = { productUserId: 'loop', campaignId: 'launch' };
    const { ucc } = await admin.call<{ ucc: string }>('POST', `${at}/codes`, code);
    await eventually(async () => expect(await client.lookup(ucc)).to.include({ valid: true }), {
      deadlineMs: 30_000,
    });
    const occurredAt = new Date().toISOString();
    const { eventId } = await client.signupCreated({ ucc, occurredAt, newUser: { id: 'ada' } });
    // What is issued before this is known stays so (decision 10).
    await client.waitForDecision(eventId, { deadlineMs: 30_000 * patience });
  }

  const buy = (invoice: string) => customer.buy(invoice, { id: 'loop' });

  async function rewards(): Promise<Reward[]> {
    const path = `${customer.at}/rewards`;
    return (await customer.admin.call<{ rewards: Reward[] }>('GET', path)).rewards;
  }

  const inReview = (count: number) =>
    eventually(
      async () => {
        const found = (await rewards()).filter(({ state }) => state === 'review');
        expect(found).to.have.length(count);
      },
      { deadlineMs: 30_000 },
    );

  async function asked(page: Page, name: string) {
    await page.getByRole('button', { name }).click();
    const dialog = page.getByRole('dialog', { name });
    await dialog.waitFor();
    return dialog;
  }

  const empty = (page: Page) => page.getByText(/[Nn]othing matches/);

  /** Counts that a page asks for wait until the function that is given is called. */
  async function holdCounts(page: Page): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route(/\/rewards\/(release|withhold)\?/, async (route) => {
      await promise;
      await route.fallback();
    });
    return resolve;
  }
});

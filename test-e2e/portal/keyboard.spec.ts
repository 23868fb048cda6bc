import { eventually } from '@tributary/testkit/eventually';
import { patience } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import type { Demo } from '../../deploy/demo/demo-file.ts';
import { sharedChromium } from '../browser/chromium.ts';
import { sharedDemo } from '../shared-stack.ts';
import { createCustomerOfPages, type CustomerOfPages, purchaseRule } from './customer-of-pages.ts';
import { keyboardOf } from './keyboard.ts';
import { password, signUpAs } from './people-of-roles.ts';
import { watchedPage } from './watched-page.ts';

// Whole jobs without a mouse. Nothing here clicks: keys alone are pressed, and at each step what
// has the focus is in view and shows it.

describe('the portal by keyboard alone', function () {
  this.timeout(240_000);
  let demo: Demo;
  let customer: CustomerOfPages;
  let email: string;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  let keyboard: ReturnType<typeof keyboardOf>;

  before(async () => {
    demo = await sharedDemo();
    customer = await createCustomerOfPages(demo, { rule: { ...purchaseRule, holdDays: 14 } });
    await customer.buy('keys-1');
    await customer.buy('keys-2');
    await eventually(
      async () => {
        const path = `${customer.at}/rewards?state=held`;
        const { rewards } = await customer.admin.call<{ rewards: unknown[] }>('GET', path);
        expect(rewards).to.have.length(2);
      },
      { deadlineMs: 30_000 },
    );
    ({ email } = await signUpAs(demo, 'admin', customer.tenantId));
    context = await (await sharedChromium()).newContext({ baseURL: demo.baseUrl });
    context.setDefaultTimeout(20_000 * patience);
    ({ page, complaints } = await watchedPage(context, demo.baseUrl));
    keyboard = keyboardOf(page);
  });
  after(async () => {
    await context?.close();
    await customer?.receiver.stop();
  });
  afterEach(() => expect(complaints).to.deep.equal([]));

  it('signs in', async () => {
    await page.goto('/portal');
    await keyboard.write(page.getByRole('textbox', { name: 'E-mail address' }), email);
    await keyboard.write(page.getByRole('textbox', { name: 'Password' }), password);
    await page.keyboard.press('Enter');
    await heading('Overview');
    // By this answer the page learnt that nobody was signed in.
    for (const each of complaints.splice(0)) expect(each).to.contain('status of 401');
  });

  it('finds an invoice and reads its chain', async () => {
    await goTo('Events');
    await keyboard.write(page.getByRole('textbox', { name: 'Invoice' }), 'keys-1');
    await page.keyboard.press('Enter');
    await page
      .getByRole('button', { name: /^Attributed/ })
      .or(rows())
      .first()
      .waitFor();
    await eventually(async () => expect(await rows().count()).to.equal(1));
    await keyboard.press(rows().locator('a'));
    const chain = page.getByRole('dialog');
    await chain.getByRole('heading', { name: 'Postings in the ledger' }).waitFor();
    await chain.getByText('keys-1', { exact: true }).first().waitFor();
    await page.keyboard.press('Escape');
    await chain.waitFor({ state: 'detached' });
  });

  it('releases a reward that is held', async () => {
    await goTo('Rewards');
    await keyboard.press(rows().locator('a'));
    const detail = page.getByRole('dialog').first();
    await keyboard.press(detail.getByRole('button', { name: 'Release' }));
    const asked = page.getByRole('dialog', { name: 'Release this reward?' });
    await keyboard.write(asked.getByRole('textbox'), 'by keys alone');
    await keyboard.press(asked.getByRole('button', { name: 'Release' }));
    await page.getByText(/^Released\./).waitFor();
    await eventually(() => expect(customer.receiver.eventIds).to.have.length(1), {
      deadlineMs: 30_000,
    });
    await asked.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await detail.waitFor({ state: 'detached' });
  });

  it('sends again all that was delivered since an instant', async () => {
    await eventually(
      async () => {
        const path = `${customer.at}/deliveries?state=delivered`;
        const { deliveries } = await customer.admin.call<{ deliveries: unknown[] }>('GET', path);
        expect(deliveries).to.have.length(1);
      },
      { deadlineMs: 30_000 },
    );
    await goTo('Webhooks');
    await keyboard.press(page.getByRole('button', { name: 'Recover' }));
    const asked = page.getByRole('dialog', { name: 'Recover' });
    await keyboard.press(asked.getByRole('button', { name: 'Recover' }));
    await asked.getByText('1 are sent again; 0 remain: repeat it for those.').waitFor();
    await keyboard.press(asked.getByRole('button', { name: 'Close' }));
    await asked.waitFor({ state: 'detached' });
    const [first] = customer.receiver.eventIds;
    await eventually(() => expect(customer.receiver.eventIds).to.deep.equal([first, first]), {
      deadlineMs: 30_000,
    });
  });

  it('rolls an access key', async () => {
    await goTo('Keys');
    await keyboard.press(page.getByRole('button', { name: 'Create an access key' }));
    const made = page.getByRole('dialog', { name: 'Create an access key' });
    await keyboard.write(made.getByRole('textbox', { name: 'Name' }), 'the second');
    await page.keyboard.press('Enter');
    await made.getByText('secretAccessKey').waitFor();
    await keyboard.press(made.getByRole('button', { name: 'Close' }));
    await made.waitFor({ state: 'detached' });
    const former = page.getByRole('row').filter({ hasNotText: 'the second' });
    await keyboard.press(former.getByRole('button', { name: 'Revoke' }));
    const asked = page.getByRole('dialog', { name: 'Revoke' });
    await keyboard.press(asked.getByRole('button', { name: 'Revoke' }));
    await former.getByText('Revoked', { exact: true }).waitFor();
    await page
      .getByRole('row')
      .filter({ hasText: 'the second' })
      .getByText('Active', { exact: true })
      .waitFor();
  });

  async function goTo(name: string): Promise<void> {
    await keyboard.press(page.getByRole('navigation').getByRole('link', { name, exact: true }));
    await heading(name);
  }

  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const rows = (): Locator => page.locator('tbody tr:not(.gap)');
});

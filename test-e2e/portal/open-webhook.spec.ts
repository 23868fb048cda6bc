import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { eventually } from '@tributary/testkit/eventually';
import { sharedDemo } from '../shared-stack.ts';
import { createCustomerOfPages, type CustomerOfPages } from './customer-of-pages.ts';
import { type OpenedPage, openPageAs } from './opened-page.ts';

type Delivery = { webhookEventId: string; state: string; lastAttempt?: { statusCode?: number } };

describe('an open webhook', function () {
  this.timeout(240_000);
  let customer: CustomerOfPages;
  let opened: OpenedPage;
  let page: Page;

  before(async () => {
    const demo = await sharedDemo();
    customer = await createCustomerOfPages(demo);
    opened = await openPageAs(demo, 'owner', customer);
    ({ page } = opened);
  });
  after(async () => {
    await opened?.close();
    await customer?.receiver.stop();
  });

  async function delivery(): Promise<Delivery> {
    const { at, admin } = customer;
    const answer = await admin.call<{ deliveries: Delivery[] }>('GET', `${at}/deliveries`);
    expect(answer.deliveries).to.have.length(1);
    return answer.deliveries[0]!;
  }

  it('shows what came while the page heard nothing, once it hears again', async () => {
    customer.receiver.answer(500);
    await customer.buy('unheard');
    await eventually(
      async () => expect((await delivery()).lastAttempt).to.include({ statusCode: 500 }),
      { deadlineMs: 30_000 },
    );
    const { webhookEventId } = await delivery();
    await page.route('**/changes', (route) => route.abort());
    await opened.open(`webhooks?open=${webhookEventId}`);
    const detail = page.getByRole('dialog', { name: /^Webhook event/ });
    await detail.getByText('we are ill').first().waitFor();

    customer.receiver.answer(200);
    await customer.admin.call('POST', `${customer.at}/deliveries/${webhookEventId}/resend`, {});
    await eventually(async () => expect((await delivery()).state).to.equal('delivered'), {
      deadlineMs: 30_000,
    });
    expect(await detail.getByText('thank you').count()).to.equal(0);

    await page.unroute('**/changes');
    await detail.getByText('thank you').first().waitFor();
  });
});

import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { patience } from '@tributary/testkit/patience';
import { eventually } from '@tributary/testkit/eventually';
import { sharedDemo } from '../shared-stack.ts';
import { createCustomerOfPages, type CustomerOfPages } from './customer-of-pages.ts';
import { contextOf, signUpAs } from './people-of-roles.ts';

type Delivery = { webhookEventId: string; state: string; lastAttempt?: { statusCode?: number } };

describe('an open webhook', function () {
  this.timeout(240_000);
  let customer: CustomerOfPages;
  let context: BrowserContext;
  let page: Page;

  before(async () => {
    const demo = await sharedDemo();
    customer = await createCustomerOfPages(demo);
    context = await contextOf(demo, await signUpAs(demo, 'owner', customer.tenantId));
    context.setDefaultTimeout(30_000 * patience);
    page = await context.newPage();
  });
  after(async () => {
    await context?.close();
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
    await page.goto(`/portal/tenants/${customer.tenantId}/webhooks?open=${webhookEventId}`);
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

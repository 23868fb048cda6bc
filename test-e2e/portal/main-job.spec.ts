import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Demo } from '../../deploy/demo/demo-file.ts';
import { patience } from '@tributary/testkit/patience';
import { eventually } from '@tributary/testkit/eventually';
import { sharedDemo } from '../shared-stack.ts';
import { createCustomerOfPages, type CustomerOfPages, purchaseRule } from './customer-of-pages.ts';
import { finishedPreview } from './finished-preview.ts';
import { type OpenedPage, openPageOf } from './opened-page.ts';
import { password, signUpAs } from './people-of-roles.ts';

// What the portal is for, from the link that signs in to a webhook that arrives again.

describe('the main job, in the browser', function () {
  this.timeout(240_000);
  let demo: Demo;
  let customer: CustomerOfPages;
  let opened: OpenedPage;
  let page: Page;
  let complaints: string[];

  before(async () => {
    demo = await sharedDemo();
    customer = await createCustomerOfPages(demo);
    opened = await openPageOf(demo, null, customer);
    ({ page, complaints } = opened);
  });
  after(async () => {
    await opened?.close();
    await customer?.receiver.stop();
  });
  afterEach(() => expect(complaints).to.deep.equal([]));

  it('begins with a link that signs in once', async () => {
    const { email } = await signUpAs(demo, 'operator', customer.tenantId);
    const made = await customer.admin.call<{ link: string }>('POST', '/api/sign-in-links', {
      email,
    });
    await page.goto(made.link);
    await page.getByRole('navigation').first().waitFor();
    expect(page.url()).to.not.contain('link=');
  });

  it('shows an event from its request to what the receiver answered', async () => {
    await customer.buy('main-1');
    await eventually(() => expect(customer.receiver.eventIds).to.have.length(1), {
      deadlineMs: 30_000,
    });
    await deliveryIs('delivered');
    await opened.open('events?invoice=main-1');
    await page.getByRole('table', { name: 'Events' }).locator('tbody a').first().click();
    const chain = page.getByRole('dialog');
    for (const step of ['What was reported', 'What was decided', 'What it earned']) {
      await chain.getByRole('heading', { name: step }).waitFor();
    }
    await chain.getByText('Attributed', { exact: true }).first().waitFor();
    await chain.getByText(/Attempt 1 delivered \(status 200/).waitFor();
    await chain.getByText(customer.receiver.eventIds[0]!).first().waitFor();
  });

  it('changes a rule in the form, and says how the draft differs', async () => {
    await opened.open('campaigns/launch');
    await page.getByRole('textbox', { name: 'Credits of rule purchase' }).fill('12.50');
    const differences = partOf('How the draft differs from revision 1');
    await differences.getByText('/rules/purchase/effect/credits changed:').waitFor();
    expect(await differences.locator('del').allTextContents()).to.deep.equal(['"10"']);
    expect(await differences.locator('ins').allTextContents()).to.deep.equal(['"12.50"']);
    await page.getByText('This can be saved.').waitFor();
  });

  it('previews the draft on all history: who gains, and who loses', async () => {
    await previewOtherDraft();
    await page.getByRole('button', { name: 'Preview on all history' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^As if it had held from/).fill('2020-01-01T00:00:00Z');
    await dialog.getByRole('button', { name: 'Preview on all history' }).click();
    await page.getByRole('button', { name: 'Commit' }).waitFor({ timeout: 60_000 * patience });
    expect(await rowsBelow('Who gains and who loses')).to.deep.equal([['ada', '10', '12.5']]);
    const changes = page.getByRole('table', { name: 'Each reward that would differ' });
    await changes.getByText('12.5', { exact: true }).waitFor();
  });

  it('compares it with the preview of another draft', async () => {
    const choice = page.getByLabel('Compare with another preview of this campaign');
    await choice.selectOption({ index: 1 });
    await page.getByRole('columnheader', { name: 'With the other draft' }).first().waitFor();
    expect(await rowsBelow('Who gains and who loses')).to.deep.equal([['ada', '10', '12.5', '7']]);
    await choice.selectOption({ label: 'No other' });
    await page
      .getByRole('columnheader', { name: 'With the other draft' })
      .first()
      .waitFor({ state: 'detached' });
  });

  it('commits it, and what was shown is what came of it', async () => {
    await page.getByRole('button', { name: 'Commit' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Commit' }).click();
    await page
      .getByText('Committed as revision 2. What was shown is what came of it.')
      .waitFor({ timeout: 60_000 * patience });
    // The page's own words are not believed: the ledger is asked.
    await opened.open('ledger?recipient=ada');
    await page.getByRole('table', { name: 'Balance of ada' }).getByText('12.50').first().waitFor();
    await opened.open('campaigns/launch?tab=revisions&revision=2');
    await page.getByText('/rules/purchase/effect/credits changed:').waitFor();
  });

  it('finds a webhook that fails, mends its endpoint, sends it again', async () => {
    await deliveryIs('delivered');
    customer.receiver.answer(500);
    await customer.buy('main-2');
    await eventually(async () => {
      const found = await deliveries('?state=pending');
      expect(found[0]).to.have.nested.property('lastAttempt.statusCode', 500);
    });
    await opened.open('webhooks?state=pending');
    const failing = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr').first();
    await failing.getByText('status 500').waitFor();
    await setEndpoint(`${customer.receiver.url}/mended`);
    await failing.locator('a').first().click();
    const detail = page.getByRole('dialog', { name: /^Webhook event/ });
    await detail.getByText('we are ill').first().waitFor();
    // No sooner: a retry by itself would take the row from the list.
    customer.receiver.answer(200);
    await detail.getByRole('button', { name: 'Send again' }).click();
    await page
      .getByRole('dialog', { name: 'Send again' })
      .getByRole('button', { name: 'Send again' })
      .click();
    await page.getByText('It is sent again.').waitFor();
    await detail.getByText('thank you').first().waitFor();
    await detail.getByText('Delivered', { exact: true }).waitFor();
  });

  async function setEndpoint(url: string): Promise<void> {
    await page.getByRole('button', { name: 'Set the endpoint' }).click();
    const dialog = page.getByRole('dialog', { name: 'Set the endpoint' });
    await dialog.getByRole('textbox', { name: 'Address' }).fill(url);
    await dialog.getByRole('textbox', { name: 'Password' }).fill(password);
    await dialog.getByRole('button', { name: 'Set the endpoint' }).click();
    await page.getByText('The endpoint is set.').waitFor();
    await page.getByText(url, { exact: true }).waitFor();
    // It has no password to show, as that was typed.
    await dialog.waitFor({ state: 'detached' });
  }

  const partOf = (heading: string) =>
    page.locator('section').filter({ has: page.getByRole('heading', { name: heading }) });

  /** The cells of a table of the page, below a heading. */
  /** One that pays less, asked for by somebody else through the API. */
  async function previewOtherDraft(): Promise<void> {
    const { admin, tenantId } = customer;
    const rules = [{ ...purchaseRule, effect: { kind: 'fixed', credits: '7' } }];
    const landingUrl = 'https://pages.example/join';
    const campaign = { name: 'Launch', status: 'running', landingUrl, creditScale: 2, rules };
    const effectiveFrom = '2020-01-01T00:00:00Z';
    const body = { tenantId, campaignId: 'launch', campaign, effectiveFrom };
    await finishedPreview(admin, body);
  }

  async function rowsBelow(heading: string): Promise<string[][]> {
    const found = partOf(heading).locator('tbody tr');
    await found.first().waitFor();
    const rows = await found.all();
    return Promise.all(rows.map((row) => row.locator('td').allTextContents()));
  }

  async function deliveries(query: string) {
    type Found = { deliveries: Record<string, unknown>[] };
    const { at, admin } = customer;
    return (await admin.call<Found>('GET', `${at}/deliveries${query}`)).deliveries;
  }

  /** Until nothing waits, and something is in this state. */
  const deliveryIs = (state: string) =>
    eventually(
      async () => {
        const found = await deliveries('');
        expect(found).to.not.deep.equal([]);
        for (const each of found) expect(each).to.include({ state });
      },
      { deadlineMs: 30_000 },
    );
});

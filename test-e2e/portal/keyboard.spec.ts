import { eventually } from '@tributary/testkit/eventually';
import { patience } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import type { Demo } from '../../deploy/demo/demo-file.ts';
import { sharedDemo } from '../shared-stack.ts';
import { createCustomerOfPages, type CustomerOfPages, purchaseRule } from './customer-of-pages.ts';
import { type Keyboard, keyboardOf } from './keyboard.ts';
import { type OpenedPage, openPageOf } from './opened-page.ts';
import { password, signUpAs } from './people-of-roles.ts';

// Whole jobs without a mouse. Nothing here clicks: keys alone are pressed, and at each step what
// has the focus is in view and shows it.

/** The new user's is held, so that there is something to release. */
const rules = [
  purchaseRule,
  {
    ...{ ruleId: 'welcome', trigger: 'purchase-created', recipient: 'new-user', holdDays: 14 },
    effect: { kind: 'fixed', credits: '5' },
  },
];

const invoices = Array.from({ length: 20 }, (_, index) => `keys-${index + 1}`);

describe('the portal by keyboard alone', function () {
  this.timeout(240_000);
  let demo: Demo;
  let customer: CustomerOfPages;
  let email: string;
  let opened: OpenedPage;
  let page: Page;
  let complaints: string[];
  let keyboard: Keyboard;

  before(async () => {
    demo = await sharedDemo();
    customer = await createCustomerOfPages(demo, { rules });
    for (const invoice of invoices) await customer.buy(invoice);
    ({ email } = await signUpAs(demo, 'operator', customer.tenantId));
    const { tenantId } = customer;
    const permissions = ['clipboard-read', 'clipboard-write'];
    opened = await openPageOf(demo, null, { tenantId, permissions });
    ({ page, complaints } = opened);
    keyboard = keyboardOf(page);
    await untilDelivered();
  });
  after(async () => {
    await opened?.close();
    await customer?.receiver.stop();
  });
  afterEach(() => expect(complaints).to.deep.equal([]));

  it('signs in', async () => {
    await opened.open('events');
    await keyboard.write(page.getByRole('textbox', { name: 'E-mail address' }), email);
    await keyboard.write(page.getByRole('textbox', { name: 'Password' }), password);
    await page.keyboard.press('Enter');
    await headingHasFocus('Events');
    // By this answer the page learnt that nobody was signed in.
    for (const each of complaints.splice(0)) expect(each).to.contain('status of 401');
  });

  it('finds an invoice and reads its chain', async () => {
    await keyboard.write(page.getByRole('textbox', { name: 'Invoice' }), 'keys-7');
    await page.keyboard.press('Enter');
    await eventually(async () => expect(await rows().count()).to.equal(1));
    const link = rows().locator('a');
    const chain = page.getByRole('dialog');
    await keyboard.open(link, chain);
    for (const name of ['What was reported', 'What was decided', 'Postings in the ledger']) {
      await chain.getByRole('heading', { name }).waitFor();
    }
    await chain.getByText('keys-7', { exact: true }).first().waitFor();
    await page.keyboard.press('Escape');
    await keyboard.isBackAt(chain, link);
  });

  it('goes on to the neighbours of an event, copies the link to one, and reads it as text', async () => {
    await keyboard.press(page.getByRole('button', { name: 'Clear filters' }));
    await eventually(async () => expect(await rows().count()).to.be.at.least(3));
    const idOf = (index: number) => rows().nth(index).locator('td').first().innerText();
    const [first, second, third] = [await idOf(0), await idOf(1), await idOf(2)];
    const opened = (id: string) => page.getByRole('dialog', { name: `Event ${id}` });
    await keyboard.open(rows().first().locator('a'), opened(first));
    await page.keyboard.press('j');
    await keyboard.press(opened(second).getByRole('button', { name: 'Next (j)' }), 'Space');
    await opened(third).waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    const previous = opened(first).getByRole('button', { name: 'Previous (k)' });
    await keyboard.press(previous);
    await keyboard.tabTo(opened(first).getByRole('button', { name: 'Next (j)' }));
    await page.keyboard.press('j');
    await keyboard.press(opened(second).getByRole('button', { name: 'Copy link' }));
    await opened(second).getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(page.url());
    expect(page.url()).to.contain(second);
    await keyboard.press(opened(second).getByText('As text'));
    const text = opened(second).locator('details[open] pre');
    await keyboard.tabTo(text);
    expect(await text.innerText()).to.contain(second);
    await page.keyboard.press('Escape');
    await keyboard.isBackAt(opened(second), rows().first().locator('a'));
  });

  it('releases a reward that is held', async () => {
    await goTo('Rewards');
    const recipient = 'user-of-keys-7';
    await keyboard.write(page.getByRole('textbox', { name: 'Recipient' }), recipient);
    await page.keyboard.press('Enter');
    await eventually(async () => expect(await rows().count()).to.equal(1));
    const link = rows().locator('a');
    const detail = page.getByRole('dialog', { name: /^Reward/ });
    await keyboard.open(link, detail);
    const asked = page.getByRole('dialog', { name: 'Release this reward?' });
    await keyboard.open(detail.getByRole('button', { name: 'Release' }), asked);
    await keyboard.write(asked.getByRole('textbox'), 'by keys alone');
    await keyboard.press(asked.getByRole('button', { name: 'Release' }));
    await page.getByText(/^Released\./).waitFor();
    // The button goes away with what it did; the focus stays in what it was on.
    await asked.waitFor({ state: 'detached' });
    await detail.getByRole('button', { name: 'Release' }).waitFor({ state: 'detached' });
    await eventually(async () => expect(await detail.and(focus()).count()).to.equal(1));
    await page.keyboard.press('Escape');
    await keyboard.isBackAt(detail, link);
    await eventually(() => expect(customer.receiver.eventIds).to.have.length(21), {
      deadlineMs: 30_000,
    });
  });

  it('changes a rule, previews that on all history, and commits it', async () => {
    await goTo('Campaigns');
    await keyboard.press(page.getByRole('link', { name: 'launch' }));
    await headingHasFocus('Campaign launch');
    await keyboard.write(page.getByRole('textbox', { name: 'Credits of rule purchase' }), '12.50');
    await page.getByText('This can be saved.').waitFor();
    const preview = page.getByRole('button', { name: 'Preview on all history' });
    const asked = page.getByRole('dialog', { name: 'Preview on all history' });
    await keyboard.open(preview, asked);
    await keyboard.write(asked.getByRole('textbox'), '2020-01-01T00:00:00Z');
    await page.keyboard.press('Enter');
    await headingHasFocus('Preview on all history');
    const commit = page.getByRole('button', { name: 'Commit' });
    await commit.waitFor({ timeout: 90_000 * patience });
    const sure = page.getByRole('dialog', { name: 'Commit' });
    await keyboard.open(commit, sure);
    await keyboard.press(sure.getByRole('button', { name: 'Commit' }), 'Space');
    await eventually(
      async () => {
        const shown = await page.locator('[role=status], [role=alert]').allInnerTexts();
        expect(shown).to.include('Committed as revision 2. What was shown is what came of it.');
      },
      { deadlineMs: 90_000 },
    );
    await headingHasFocus('Preview on all history');
  });

  it('goes through the tenants, changes its mind, and opens another one', async () => {
    await goTo('Rewards');
    const address = page.url();
    const tenants = page.getByRole('combobox', { name: 'Tenant', exact: true });
    const choices = page.getByRole('listbox', { name: 'Tenant' });
    await keyboard.tabTo(tenants);
    await page.keyboard.press('ArrowDown');
    await choices.waitFor();
    for (let steps = 0; steps < 3; steps++) await page.keyboard.press('ArrowDown');
    expect(page.url()).to.equal(address);
    await page.keyboard.press('Escape');
    await choices.waitFor({ state: 'hidden' });
    await keyboard.isBackAt(choices, tenants);
    expect(page.url()).to.equal(address);
    await page.keyboard.type('Globex');
    const [, globex] = demo.tenants;
    await choices.getByRole('option', { name: globex!.name }).waitFor();
    await page.keyboard.press('ArrowDown');
    expect(page.url()).to.equal(address);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/tenants/${globex!.tenantId}/**`);
    await headingHasFocus('Overview');
    expect(await tenants.inputValue()).to.equal(globex!.name);
    await page.goBack();
    await page.waitForURL(address);
    await page.getByRole('heading', { level: 1, name: 'Rewards' }).waitFor();
  });

  it('sends 20 webhooks again', async () => {
    await untilDelivered();
    await goTo('Webhooks');
    const before = new Set(customer.receiver.eventIds);
    await keyboard.choose(page.getByRole('combobox', { name: 'State' }), 'delivered');
    await keyboard.write(page.getByRole('textbox', { name: 'Recipient' }), 'ada');
    await page.keyboard.press('Enter');
    customer.receiver.eventIds.splice(0);
    const resend = page.getByRole('button', { name: 'Send all of these again' });
    const asked = page.getByRole('dialog', { name: 'Send all of these again' });
    await keyboard.open(resend, asked);
    await asked.getByText(/^20 webhooks match/).waitFor();
    await keyboard.press(asked.getByRole('button', { name: 'Send all of these again' }));
    await page.getByText('They are sent again.').waitFor();
    await asked.waitFor({ state: 'detached' });
    await eventually(
      () => {
        const sent = new Set(customer.receiver.eventIds);
        expect(sent.size).to.equal(20);
        expect([...before], 'the same ids').to.include.members([...sent]);
      },
      { deadlineMs: 30_000 },
    );
  });

  it('rolls an access key', async () => {
    await goTo('Keys');
    const create = page.getByRole('button', { name: 'Create an access key' });
    const made = page.getByRole('dialog', { name: 'Create an access key' });
    await keyboard.open(create, made);
    await keyboard.write(made.getByRole('textbox', { name: 'Name' }), 'the second');
    await page.keyboard.press('Enter');
    await made.getByText('secretAccessKey').waitFor();
    await keyboard.press(made.getByRole('button', { name: 'Close' }).last());
    await keyboard.isBackAt(made, create);
    const former = page.locator('tbody tr').filter({ hasNotText: 'the second' });
    const asked = page.getByRole('dialog', { name: 'Revoke' });
    await keyboard.open(former.getByRole('button', { name: 'Revoke' }), asked);
    await keyboard.press(asked.getByRole('button', { name: 'Revoke' }));
    await former.getByText('Revoked', { exact: true }).waitFor();
    await keyboard.isBackAt(asked, page.getByRole('region', { name: 'Access keys' }));
    const second = page.locator('tbody tr').filter({ hasText: 'the second' });
    await second.getByText('Active', { exact: true }).waitFor();
  });

  async function goTo(name: string): Promise<void> {
    await keyboard.press(page.getByRole('navigation').getByRole('link', { name, exact: true }));
    await headingHasFocus(name);
  }

  /** Where somebody begins on a page that was just opened, or whose last button has gone. */
  async function headingHasFocus(name: string): Promise<void> {
    const heading = page.getByRole('heading', { level: 1, name, exact: true });
    await heading.waitFor();
    await eventually(async () => expect(await heading.and(focus()).count()).to.equal(1));
  }

  /** Until each purchase has told the receiver of ada's reward. */
  const untilDelivered = () =>
    eventually(
      async () => {
        const path = `${customer.at}/deliveries?state=delivered&recipient=ada`;
        const { deliveries } = await customer.admin.call<{ deliveries: unknown[] }>('GET', path);
        expect(deliveries.length).to.be.at.least(invoices.length);
      },
      { deadlineMs: 30_000 },
    );

  const focus = (): Locator => page.locator(':focus');
  const rows = (): Locator => page.locator('tbody tr:not(.gap)');
});

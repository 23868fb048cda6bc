import { eventually } from '@tributary/testkit/eventually';
import { patience } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { createAdminClient } from '../deploy/demo/admin-client.ts';
import type { Stack } from '../deploy/local/stack.ts';
import { startThrowawayStack } from '../deploy/local/throwaway-stack.ts';
import {
  createCustomerOfPages,
  type CustomerOfPages,
} from '../test-e2e/portal/customer-of-pages.ts';
import { contextOf, signUpAs, type SomebodySignedIn } from '../test-e2e/portal/people-of-roles.ts';
import { watchedPage } from '../test-e2e/portal/watched-page.ts';

/**
 * Pages stay open while each server dies and comes back. They say what is stale, lose nothing that
 * was typed, and mend themselves: they are never loaded again here.
 */
describe('open pages of the portal, while servers die', function () {
  this.timeout(600_000);
  let stack: Stack;
  let customer: CustomerOfPages;
  let owner: SomebodySignedIn;
  let context: BrowserContext;
  let list: Page;
  let form: Page;
  let dialog: Page;
  const complaints: string[][] = [];
  const typed = { credits: '12.75', address: 'https://typed.example/not-sent' };

  before(async () => {
    stack = await startThrowawayStack();
    customer = await createCustomerOfPages(stack.demo);
    owner = await signUpAs(stack.demo, 'owner', customer.tenantId);
    context = await contextOf(stack.demo, owner);
    context.setDefaultTimeout(30_000 * patience);
    await customer.buy('before');
    list = await open('events');
    await seen('before');
    form = await open('campaigns/launch');
    await creditsIn(form).fill(typed.credits);
    dialog = await open('webhooks');
    await dialog.getByRole('button', { name: 'Set the endpoint' }).click();
    await addressIn(dialog).fill(typed.address);
  });
  after(async () => {
    await context?.close();
    await stack?.stop();
    await customer?.receiver.stop();
  });
  afterEach(() => {
    // What the browser itself says of a request without an answer is no mistake of the page.
    const own = complaints.flat().filter((text) => !text.startsWith('error: Failed to load'));
    expect(own).to.deep.equal([]);
  });

  const creditsIn = (page: Page) => page.getByRole('textbox', { name: 'Credits of rule purchase' });
  const addressIn = (page: Page) =>
    page
      .getByRole('dialog', { name: 'Set the endpoint' })
      .getByRole('textbox', { name: 'Address' });
  const interrupted = (page: Page) =>
    page.getByRole('status').filter({ hasText: /^No answer from the server since .*\d:\d\d/ });
  const behind = (page: Page) =>
    page.getByRole('status').filter({ hasText: /^These figures are of .*\d:\d\d/ });

  async function open(path: string, of = context): Promise<Page> {
    const watched = await watchedPage(of, stack.demo.baseUrl);
    complaints.push(watched.complaints);
    await watched.page.goto(`/portal/tenants/${customer.tenantId}/${path}`);
    await watched.page.getByRole('heading', { level: 1 }).waitFor();
    await watched.page.evaluate('window.neverLoadedAgain = true');
    return watched.page;
  }

  const seen = (invoiceId: string) =>
    list
      .getByRole('table', { name: 'Events' })
      .getByText(`user-of-${invoiceId}`)
      .first()
      .waitFor({ timeout: 60_000 * patience });

  async function nothingIsLost(): Promise<void> {
    expect(await creditsIn(form).inputValue()).to.equal(typed.credits);
    expect(await addressIn(dialog).inputValue()).to.equal(typed.address);
    for (const page of [list, form, dialog]) {
      expect(await page.evaluate('window.neverLoadedAgain')).to.equal(true);
    }
  }

  /** Without a word of the pages' being stale, and with what happened since. */
  async function mended(invoiceId: string): Promise<void> {
    await eventually(() => customer.buy(invoiceId), { deadlineMs: 60_000, everyMs: 500 });
    await seen(invoiceId);
    for (const page of [list, form, dialog]) {
      const failed = page.getByText(/This could not be loaded|The server did not answer/);
      for (const sentence of [interrupted(page), behind(page), failed]) {
        await sentence.first().waitFor({ state: 'detached', timeout: 60_000 * patience });
      }
    }
    await nothingIsLost();
  }

  type Fault = { die: () => Promise<unknown>; live: () => Promise<unknown> };
  const each = (name: 'portal' | 'ingest-api', does: 'kill' | 'restart') =>
    Promise.all(
      stack.services[name].replicas.map((replica) =>
        does === 'kill' ? replica.kill('SIGKILL') : replica.restart(),
      ),
    );
  const server = (of: () => { kill(): Promise<unknown>; restart(): Promise<unknown> }): Fault => ({
    die: () => of().kill(),
    live: () => of().restart(),
  });
  const unanswering: Record<string, Fault> = {
    postgres: server(() => stack.servers.postgres),
    portal: { die: () => each('portal', 'kill'), live: () => each('portal', 'restart') },
    edge: server(() => stack.edge),
  };
  for (const [name, { die, live }] of Object.entries(unanswering)) {
    it(`say since when nothing answers, and mend themselves: ${name}`, async () => {
      await die();
      for (const page of [list, form, dialog]) await interrupted(page).waitFor();
      await nothingIsLost();
      await live();
      await mended(`after-${name}`);
    });
  }

  it('say as of when the list is, while the log cannot be read: kafka', async () => {
    await stack.servers.kafka.kill();
    await behind(list).waitFor({ timeout: 180_000 * patience });
    await nothingIsLost();
    await stack.servers.kafka.restart();
    await mended('after-kafka');
  });

  const besides: Record<string, Fault> = {
    redis: server(() => stack.servers.redis),
    'ingest-api': {
      die: () => each('ingest-api', 'kill'),
      live: () => each('ingest-api', 'restart'),
    },
  };
  for (const [name, { die, live }] of Object.entries(besides)) {
    it(`go on, as nothing that they show comes from there: ${name}`, async () => {
      await die();
      const { admin, at } = customer;
      // The page is told of this, and shows it.
      const person = `while-${name}`;
      await admin.call('POST', `${at}/codes`, { productUserId: person, campaignId: 'launch' });
      const people = await open('people');
      await people.getByText(person).first().waitFor();
      for (const page of [list, form, dialog, people]) {
        expect(await interrupted(page).count()).to.equal(0);
      }
      await people.close();
      await live();
      await mended(`after-${name}`);
    });
  }

  it('end within five seconds for somebody who was removed', async () => {
    const { tenantId, at } = customer;
    const member = await signUpAs(stack.demo, 'admin', tenantId);
    const their = await contextOf(stack.demo, member);
    their.setDefaultTimeout(30_000 * patience);
    const pages = [await open('events', their), await open('people', their)];
    await pages[0]!.getByText('user-of-before').first().waitFor();
    const admin = createAdminClient({
      baseUrl: stack.demo.baseUrl,
      token: stack.demo.adminToken,
    });
    type People = { people: { accountId: string; email: string }[] };
    const { people } = await admin.call<People>('GET', `${at}/people`);
    const { accountId } = people.find(({ email }) => email === member.email)!;
    await admin.call('DELETE', `${at}/people/${accountId}`);
    for (const page of pages) {
      await page
        .getByRole('status')
        .filter({ hasText: 'Your session has ended' })
        .waitFor({ timeout: 5_000 * patience });
      const left = await page.evaluate<string>('document.documentElement.innerHTML');
      for (const ofTenant of ['user-of-', tenantId, 'ada', 'Customer of the pages']) {
        expect(left).to.not.include(ofTenant);
      }
      const answers = await page.evaluate<number[]>(`Promise.all(
        ['events', 'people', 'changes', 'campaigns/launch'].map(async (what) =>
          (await fetch('/api/tenants/${tenantId}/' + what)).status))`);
      expect(answers).to.deep.equal([401, 401, 401, 401]);
    }
    await their.close();
  });
});

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Role } from './people-of-roles.ts';

/** A page as pages.spec.ts opens it. */
export type ListedPage = {
  /** Below `/portal/tenants/{tenantId}/`, with whatever its address says. */
  path: string;
  heading: string;
  /** Who may see it; to the others it says that it is not for their role. */
  roles: readonly Role[];
  /** What must be there before it is looked at, beside its heading. */
  ready: (page: Page) => Promise<unknown>;
  /** More of it, each looked at in both schemes: a dialog, a menu, a row that is open. */
  states?: Readonly<Record<string, (page: Page) => Promise<unknown>>>;
};

const readers: readonly Role[] = [
  ...(['operator', 'owner', 'admin', 'developer', 'reviewer', 'analyst'] as const),
];

const administrators: readonly Role[] = ['operator', 'owner', 'admin'];

const table = (name: string) => (page: Page) => page.getByRole('table', { name }).waitFor();
const button = (name: string) => (page: Page) => page.getByRole('button', { name }).waitFor();

/** What every page has in its header. */
const ofTheShell: NonNullable<ListedPage['states']> = {
  'the settings': async (page) => {
    await page.getByRole('button', { name: 'Settings and account' }).click();
    await page.getByRole('dialog').getByLabel('Times in').waitFor();
  },
  'the list of tenants': async (page) => {
    await page.getByRole('combobox', { name: 'Tenant' }).click();
    await page.getByRole('option').first().waitFor();
  },
};

/** Opens the dialog of a button, which has a button of that name too. */
const dialogOf = (name: string) => async (page: Page) => {
  await page.getByRole('button', { name }).click();
  await page.getByRole('dialog').getByRole('button', { name }).waitFor();
};

export const listedPages: readonly ListedPage[] = [
  {
    path: 'overview',
    heading: 'Overview',
    roles: readers,
    ready: async (page) => {
      await page.getByRole('heading', { name: 'Set-up' }).waitFor();
      await page.locator('canvas').nth(3).waitFor();
    },
    states: {
      ...ofTheShell,
      'a first run down to the webhook': async (page) => {
        await page.getByRole('button', { name: 'Send an event' }).click();
        const chain = page.getByRole('log', { name: 'A first run' });
        await chain.getByRole('link', { name: /^first-run-/ }).waitFor();
        await chain.getByText('✓').nth(3).waitFor();
      },
    },
  },
  {
    path: 'events',
    heading: 'Events',
    roles: readers,
    ready: table('Events'),
    states: {
      'an event that is open': async (page) => {
        await page.locator('tbody a').first().click();
        await page.getByRole('heading', { name: '1. What was reported' }).waitFor();
        await page.getByRole('heading', { name: 'Postings in the ledger' }).waitFor();
      },
    },
  },
  {
    path: 'people',
    heading: 'People',
    roles: readers,
    ready: table('People'),
    states: {
      'somebody who is open': async (page) => {
        // Not by its row: in a list of thousands it is below what is drawn.
        const address = new URL(page.url());
        address.searchParams.set('open', 'acme-user-ada');
        await page.goto(address.href);
        await page.getByRole('heading', { name: 'Whom this user referred' }).waitFor();
        await page.getByRole('button', { name: 'Whom portal-ben referred' }).click();
      },
    },
  },
  {
    path: 'rewards',
    heading: 'Rewards',
    roles: readers,
    ready: (page) => page.getByRole('table', { name: 'Rewards' }).waitFor(),
    states: {
      'a reward that is open': async (page) => {
        await page.locator('tbody a').first().click();
        await page.getByRole('heading', { name: 'The whole chain' }).waitFor();
        await page.getByRole('group', { name: 'The whole chain' }).waitFor();
      },
    },
  },
  {
    path: 'ledger?recipient=acme-user-ada',
    heading: 'Ledger',
    roles: readers,
    ready: async (page) => {
      await page.getByRole('table', { name: 'Balance of acme-user-ada' }).waitFor();
      await page.getByRole('table', { name: 'Ledger' }).waitFor();
    },
  },
  {
    path: 'campaigns',
    heading: 'Campaigns',
    roles: readers,
    ready: table('Campaigns'),
  },
  {
    path: 'campaigns/launch',
    heading: 'Campaign launch',
    roles: readers,
    ready: async (page) => {
      await page.getByText('This can be saved.').waitFor();
      await page.getByRole('textbox', { name: 'The campaign as JSON' }).waitFor();
    },
    states: {
      'its revisions': async (page) => {
        await page.getByText('Revisions', { exact: true }).click();
        await page.getByRole('heading', { name: 'Revision 1' }).waitFor();
      },
    },
  },
  {
    path: 'previews/{previewId}',
    heading: 'Preview on all history',
    roles: ['operator'],
    ready: button('Commit'),
  },
  {
    path: 'review',
    heading: 'Review and waiting',
    roles: readers,
    ready: (page) => page.getByText('No reward waits for a decision.').waitFor(),
    states: {
      'its dead letters': async (page) => {
        await page.getByText('Dead letters', { exact: true }).click();
        await page.getByText('Nothing was put aside.').waitFor();
      },
    },
  },
  {
    path: 'approvals',
    heading: 'Approvals',
    roles: readers,
    ready: (page) => page.getByText('Nothing waits for a second person.').waitFor(),
  },
  {
    path: 'webhooks',
    heading: 'Webhooks',
    roles: readers,
    ready: table('Deliveries'),
    states: {
      'a delivery that is open': async (page) => {
        await page.locator('tbody a').first().click();
        await page.getByRole('heading', { name: 'Body' }).waitFor();
      },
      'a new endpoint': dialogOf('Set the endpoint'),
    },
  },
  {
    path: 'payments',
    heading: 'Payments',
    roles: readers,
    ready: (page) => page.getByText('Stripe has not reported anything yet.').waitFor(),
  },
  {
    path: 'requests',
    heading: 'Refused requests',
    roles: readers,
    ready: table('Refused requests'),
  },
  {
    path: 'widget',
    heading: 'Widget and domains',
    roles: readers,
    ready: async (page) => {
      await page.getByRole('heading', { name: 'Domains', exact: true }).waitFor();
      await page.frameLocator('iframe').getByRole('dialog').waitFor();
    },
    states: { 'a new domain': dialogOf('Register a domain') },
  },
  {
    path: 'keys',
    heading: 'Keys',
    roles: readers,
    ready: (page) => page.getByText('Active', { exact: true }).first().waitFor(),
    states: { 'a new key': dialogOf('Create an access key') },
  },
  {
    path: 'replay',
    heading: 'Replay',
    roles: ['operator'],
    ready: table('Jobs'),
    states: {
      'a job that is open': async (page) => {
        await page.locator('tbody a').first().click();
        await page.getByRole('dialog').getByRole('heading', { name: 'What it did' }).waitFor();
      },
    },
  },
  {
    path: 'health',
    heading: 'Health',
    roles: ['operator'],
    ready: async (page) => {
      await table('Services')(page);
      await table('How far the stages are')(page);
      await table('Brokers')(page);
    },
  },
  {
    path: 'members',
    heading: 'Members',
    roles: administrators,
    ready: (page) => page.getByRole('table', { name: 'Members' }).waitFor(),
    states: {
      'somebody who is open': async (page) => {
        await page.locator('tbody a').first().click();
        await page.getByRole('dialog').getByText('Since').waitFor();
      },
      'an invitation': async (page) => {
        await page.getByRole('button', { name: 'Invite somebody' }).click();
        await page.getByRole('dialog').getByLabel('E-mail address').waitFor();
      },
    },
  },
  {
    path: 'audit',
    heading: 'Audit',
    roles: administrators,
    ready: (page) => page.getByRole('table', { name: 'Audit' }).waitFor(),
    states: {
      'an entry that is open': async (page) => {
        await page.locator('tbody a').first().click();
        await page.getByRole('dialog').getByText('Request').waitFor();
        // By name or in words in the list, and by the id of the record here.
        const id = /^(account:|token:|operator$|nobody$)/;
        await page.getByRole('dialog').getByRole('link', { name: id }).waitFor();
        expect(await page.getByRole('table').getByText(id).count()).to.equal(0);
      },
    },
  },
];

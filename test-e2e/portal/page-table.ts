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

export const listedPages: readonly ListedPage[] = [
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
      },
    },
  },
];

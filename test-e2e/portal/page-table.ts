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
        await page.getByRole('dialog').locator('code').waitFor();
      },
    },
  },
];

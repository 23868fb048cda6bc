import { patience } from '@tributary/testkit/patience';
import type { BrowserContextOptions } from 'playwright-core';
import type { Demo } from '../../deploy/demo/demo-file.ts';
import { sharedChromium } from '../browser/chromium.ts';
import { contextOf, type Role, signUpAs, type SomebodySignedIn } from './people-of-roles.ts';
import { type WatchedPage, watchedPage } from './watched-page.ts';

/** A watched page of a tenant, in a browser context of its own. */
export type OpenedPage = WatchedPage & {
  /** Loads the page at an address below that of the tenant. */
  open: (path: string) => Promise<void>;
  /** Goes to such an address as its links do: by the router, without loading anything again. */
  goTo: (path: string) => Promise<void>;
  close: () => Promise<void>;
};

export type WhereAndHow = { tenantId: string } & Pick<
  BrowserContextOptions,
  'colorScheme' | 'permissions' | 'timezoneId' | 'viewport'
>;

/** Somebody new in this role opens it, signed in. */
export async function openPageAs(demo: Demo, role: Role, where: WhereAndHow): Promise<OpenedPage> {
  return openPageOf(demo, await signUpAs(demo, role, where.tenantId), where);
}

/** Somebody opens it who is signed in; null: somebody who is not. */
export async function openPageOf(
  demo: Demo,
  somebody: SomebodySignedIn | null,
  { tenantId, colorScheme, permissions, timezoneId, viewport }: WhereAndHow,
): Promise<OpenedPage> {
  const { baseUrl } = demo;
  const options: BrowserContextOptions = {
    ...(colorScheme && { colorScheme }),
    ...(permissions && { permissions }),
    ...(timezoneId !== undefined && { timezoneId }),
    ...(viewport && { viewport }),
  };
  const context =
    somebody === null
      ? await (await sharedChromium()).newContext({ baseURL: baseUrl, ...options })
      : await contextOf(demo, somebody, options);
  context.setDefaultTimeout(30_000 * patience);
  const watched = await watchedPage(context, baseUrl);
  const { page } = watched;
  const addressOf = (path: string) => `/portal/tenants/${encodeURIComponent(tenantId)}/${path}`;
  return {
    ...watched,
    async open(path) {
      await page.goto(addressOf(path));
      await page.getByRole('heading', { level: 1 }).waitFor();
    },
    async goTo(path) {
      await page.evaluate(`history.pushState({}, '', ${JSON.stringify(addressOf(path))})`);
    },
    close: () => context.close(),
  };
}

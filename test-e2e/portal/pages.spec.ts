import { randomBytes } from 'node:crypto';
import { isLong } from '@tributary/testkit/long-run';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Demo, DemoTenant } from '../../deploy/demo/demo-file.ts';
import { createAdminClient } from '../../deploy/demo/admin-client.ts';
import { sharedDemo } from '../shared-stack.ts';
import { finishedPreview } from './finished-preview.ts';
import { makeDemoRecords } from './demo-records.ts';
import { listedPages, type ListedPage } from './page-table.ts';
import { type OpenedPage, openPageAs } from './opened-page.ts';
import { type Role, roles } from './people-of-roles.ts';
import {
  allLooks,
  axeFindingsOf,
  isFine,
  looksInTurn,
  schemes,
  showIn,
  type Width,
  widths,
} from './watched-page.ts';

// Every page for every role with `--long`, otherwise for the most powerful and two others in turn
// (what a role may ask for is the API's, see role-matrix.int.spec.ts of the portal). The most
// powerful loads it by its address, looks at it in both schemes and two widths in turn (all of them
// with `--long`) and opens what can be opened; each other role comes by the router and looks once,
// the scheme and the width in turn. A role has one browser page for all of them: to load it anew in
// a context of its own takes several times as long as to look.

/** All with `--long`; otherwise one of them, another one for each page. */
function inTurn<T>(all: readonly T[], place: number): readonly T[] {
  return isLong || all.length === 0 ? all : [all[place % all.length]!];
}

function strangersOf({ roles: readers }: ListedPage): readonly Role[] {
  return roles.filter((each) => !readers.includes(each));
}

describe('the pages of the portal', function () {
  this.timeout(120_000);
  let demo: Demo;
  let tenant: DemoTenant;
  let previewId: string;
  const pages = new Map<Role, OpenedPage>();

  before(async () => {
    demo = await sharedDemo();
    tenant = demo.tenants[0]!;
    await makeDemoRecords(demo);
    previewId = await makePreview();
    await makeTenants();
    for (const role of roles) {
      const opened = await openPageAs(demo, role, { tenantId: tenant.tenantId });
      pages.set(role, opened);
      await opened.open('overview');
    }
  });
  after(async () => {
    for (const { close } of pages.values()) await close();
  });
  afterEach(() => {
    const all = [...pages].flatMap(([role, { complaints }]) =>
      complaints.splice(0).map((each) => `${role}: ${each}`),
    );
    expect(all).to.deep.equal([]);
  });

  for (const [place, listed] of listedPages.entries()) {
    const [first, ...others] = listed.roles as [Role, ...Role[]];

    it(`${listed.path} as ${first}: in both schemes`, async () => {
      const { page, open } = pages.get(first)!;
      await open(pathOf(listed));
      await isReady(listed, page);
      await isFine(page, isLong ? allLooks : looksInTurn(place));
      const byApi = page.getByRole('button', { name: 'The same by API' }).first();
      await byApi.click();
      await page.getByRole('dialog').getByText('curl').first().waitFor();
      expect(await axeFindingsOf(page), 'the same by API').to.deep.equal([]);
    });

    for (const [index, [state, bringAbout]] of Object.entries(listed.states ?? {}).entries()) {
      it(`${listed.path} as ${first}, with ${state}`, async () => {
        const { page, open } = pages.get(first)!;
        // Loaded again: what an earlier state has left open is not in every address.
        await open(pathOf(listed));
        await isReady(listed, page);
        await bringAbout(page);
        await isFine(page, looksInTurn(index));
      });
    }

    for (const [index, role] of inTurn(others, place).entries()) {
      it(`${listed.path} as ${role}`, async () => {
        const { page, goTo } = pages.get(role)!;
        await goTo(pathOf(listed));
        await isReady(listed, page);
        const width = Object.keys(widths)[index % 3] as Width;
        await showIn(page, width, schemes[index % 2]!);
        expect(await axeFindingsOf(page)).to.deep.equal([]);
      });
    }

    for (const role of inTurn(strangersOf(listed), place)) {
      it(`${listed.path} is not for ${role}, and says so`, async () => {
        const { page, goTo } = pages.get(role)!;
        // Where the address before was not for them either, the sentence would be there already.
        await goTo('overview');
        await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
        await goTo(pathOf(listed));
        await page.getByRole('heading', { level: 1, name: /not for your role/ }).waitFor();
        expect(await axeFindingsOf(page)).to.deep.equal([]);
      });
    }
  }

  async function isReady(listed: ListedPage, page: Page): Promise<void> {
    await page.getByRole('heading', { level: 1, name: listed.heading }).waitFor();
    await listed.ready(page);
  }

  function pathOf({ path }: ListedPage): string {
    return path.replace('{previewId}', previewId);
  }

  /** So many that their list has to scroll. */
  async function makeTenants(): Promise<void> {
    const admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
    for (let n = 0; n < 10; n += 1) {
      const tenantId = `listed-${randomBytes(4).toString('hex')}`;
      await admin.call('POST', '/api/tenants', { tenantId, name: `Listed ${n}` });
    }
  }

  /** What pays half as much again, on all history. */
  async function makePreview(): Promise<string> {
    const admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
    const { tenantId, campaignId } = tenant;
    const effect = { kind: 'fixed', credits: '7.50' };
    const rule = { ruleId: 'signup', trigger: 'signup-created', recipient: 'referrer', effect };
    const campaign = { name: 'Half as much again', landingUrl: 'https://acme.example/join' };
    const body = { tenantId, campaignId, campaign: { ...campaign, creditScale: 2, rules: [rule] } };
    return finishedPreview(admin, body);
  }
});

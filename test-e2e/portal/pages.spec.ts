import { createTributaryClient } from '../../packages/client/src/client.ts';
import { expect } from 'chai';
import type { Demo, DemoTenant } from '../../deploy/demo/demo-file.ts';
import { createAdminClient } from '../../deploy/demo/admin-client.ts';
import { eventually } from '@tributary/testkit/eventually';
import { sharedDemo } from '../shared-stack.ts';
import { listedPages, type ListedPage } from './page-table.ts';
import { contextOf, type Role, roles, signUpAs, type SomebodySignedIn } from './people-of-roles.ts';
import { axeFindingsOf, schemes, showIn, watchedPage, type Width, widths } from './watched-page.ts';

// Every page for every role: whoever is the most powerful looks at it in both schemes and all
// widths and opens what can be opened; each other role looks once, the scheme and the width in
// turn.

const looks = [
  ['phone', 'light'],
  ['phone', 'dark'],
  ['tablet', 'dark'],
  ['desktop', 'light'],
] as const;

describe('the pages of the portal', function () {
  this.timeout(120_000);
  let demo: Demo;
  let tenant: DemoTenant;
  let previewId: string;
  const people = new Map<Role, SomebodySignedIn>();

  before(async () => {
    demo = await sharedDemo();
    tenant = demo.tenants[0]!;
    await makeReward();
    await makeRefusedRequest();
    previewId = await makePreview();
    for (const role of roles) people.set(role, await signUpAs(demo, role, tenant.tenantId));
  });

  for (const listed of listedPages) {
    const [first, ...others] = listed.roles as [Role, ...Role[]];

    it(`${listed.path} as ${first}: both schemes and three widths`, async () => {
      await opened(listed, first, async ({ page, complaints }) => {
        for (const [width, scheme] of looks) {
          await showIn(page, width, scheme);
          expect(await axeFindingsOf(page), `${width}, ${scheme}`).to.deep.equal([]);
          expect(await overflowOf(page), `${width}: wider than the window`).to.equal(0);
        }
        expect(complaints).to.deep.equal([]);
      });
    });

    for (const [state, open] of Object.entries(listed.states ?? {})) {
      it(`${listed.path} as ${first}, with ${state}`, async () => {
        await opened(listed, first, async ({ page, complaints }) => {
          await open(page);
          for (const scheme of schemes) {
            await showIn(page, 'phone', scheme);
            expect(await axeFindingsOf(page), scheme).to.deep.equal([]);
          }
          expect(complaints).to.deep.equal([]);
        });
      });
    }

    for (const [index, role] of others.entries()) {
      it(`${listed.path} as ${role}`, async () => {
        await opened(listed, role, async ({ page, complaints }) => {
          const width = Object.keys(widths)[index % 3] as Width;
          await showIn(page, width, schemes[index % 2]!);
          expect(await axeFindingsOf(page)).to.deep.equal([]);
          expect(complaints).to.deep.equal([]);
        });
      });
    }

    for (const role of roles.filter((each) => !listed.roles.includes(each))) {
      it(`${listed.path} is not for ${role}, and says so`, async () => {
        const context = await contextOf(demo, people.get(role)!);
        const { page, complaints } = await watchedPage(context, demo.baseUrl);
        await page.goto(addressOf(listed));
        await page.getByRole('heading', { level: 1, name: /not for your role/ }).waitFor();
        expect(await axeFindingsOf(page)).to.deep.equal([]);
        expect(complaints).to.deep.equal([]);
        await context.close();
      });
    }
  }

  async function opened(
    listed: ListedPage,
    role: Role,
    look: (watched: Awaited<ReturnType<typeof watchedPage>>) => Promise<void>,
  ): Promise<void> {
    const context = await contextOf(demo, people.get(role)!);
    const watched = await watchedPage(context, demo.baseUrl);
    await watched.page.goto(addressOf(listed));
    await watched.page.getByRole('heading', { level: 1, name: listed.heading }).waitFor();
    await listed.ready(watched.page);
    await look(watched);
    await context.close();
  }

  function addressOf({ path }: ListedPage): string {
    return `/portal/tenants/${tenant.tenantId}/${path.replace('{previewId}', previewId)}`;
  }

  /** Somebody signs up by the demo's code, so that lists hold something. */
  async function makeReward(): Promise<void> {
    const { accessKeyId, secretAccessKey, tenantId, referrer } = tenant;
    const { baseUrl } = demo;
    const client = createTributaryClient({ baseUrl, accessKeyId, secretAccessKey });
    const newUser = { id: 'portal-ben', name: 'Ben Thistlewood' };
    const occurredAt = new Date().toISOString();
    await client.signupCreated({ ucc: referrer.ucc, occurredAt, newUser });
    const admin = createAdminClient({ baseUrl, token: demo.adminToken });
    await eventually(async () => {
      const path = `/api/tenants/${tenantId}/rewards?user=portal-ben`;
      const { rewards } = await admin.call<{ rewards: unknown[] }>('GET', path);
      expect(rewards).to.not.have.length(0);
    });
  }

  async function makeRefusedRequest(): Promise<void> {
    const { baseUrl, adminToken } = demo;
    const client = createTributaryClient({
      ...{ baseUrl, accessKeyId: tenant.accessKeyId, secretAccessKey: tenant.secretAccessKey },
    });
    const given = { ucc: 'AAAAAAAAAAA', occurredAt: 'yesterday', newUser: { id: '' } };
    const refusal = await client.signupCreated(given).catch((error: unknown) => error);
    expect(refusal).to.be.an('error');
    const admin = createAdminClient({ baseUrl, token: adminToken });
    await eventually(async () => {
      const path = `/api/tenants/${tenant.tenantId}/requests`;
      const { requests } = await admin.call<{ requests: unknown[] }>('GET', path);
      expect(requests).to.not.have.length(0);
    });
  }

  /** What pays half as much again, on all history. */
  async function makePreview(): Promise<string> {
    const admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
    const { tenantId, campaignId } = tenant;
    const effect = { kind: 'fixed', credits: '7.50' };
    const rule = { ruleId: 'signup', trigger: 'signup-created', recipient: 'referrer', effect };
    const campaign = { name: 'Half as much again', landingUrl: 'https://acme.example/join' };
    const body = { tenantId, campaignId, campaign: { ...campaign, creditScale: 2, rules: [rule] } };
    const made = await admin.call<{ previewId: string }>('POST', '/api/replay/previews', body);
    await eventually(
      async () => {
        const path = `/api/replay/previews/${made.previewId}`;
        expect((await admin.call<{ status: string }>('GET', path)).status).to.equal('done');
      },
      { deadlineMs: 60_000 },
    );
    return made.previewId;
  }
});

/** By how many pixels a page can be scrolled sideways. */
async function overflowOf(page: { evaluate<T>(text: string): Promise<T> }): Promise<number> {
  return page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
}

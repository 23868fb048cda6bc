import { randomUUID } from 'node:crypto';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { type AdminClient, createAdminClient } from '../deploy/demo/admin-client.ts';
import type { Demo, DemoTenant } from '../deploy/demo/demo-file.ts';
import { widgetToken } from './browser/widget-token.ts';
import { call, purchase, tokenFor } from './calls.ts';
import { sharedDemo } from './shared-stack.ts';

type Code = { ucc: string; link?: string; disabledAt?: string };

/** What is shown of a code is true at every step, and events count by when they were received. */
describe('a code that is disabled and enabled again, from outside', function () {
  this.timeout(120_000);
  let demo: Demo;
  let tenant: DemoTenant;
  let admin: AdminClient;
  let token: string;
  const user = `referrer ${randomUUID()}`;

  before(async function () {
    this.timeout(180_000);
    demo = await sharedDemo();
    tenant = demo.tenants[0]!;
    admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
    token = await tokenFor(demo, tenant);
  });

  const tell = (path: string, body: object) =>
    admin.call<Code>('POST', `/api/tenants/${tenant.tenantId}/codes${path}`, body);
  const lookUp = (path: string) => call(`${demo.baseUrl}/referral-codes/${path}`, { token });
  const activeLink = () => lookUp(`active-link/${encodeURIComponent(user)}`);

  async function buy(ucc: string): Promise<string> {
    const event = purchase(tenant, randomUUID(), { ucc });
    const url = `${demo.baseUrl}/v2/events/purchase-created`;
    const answer = await call(url, { method: 'POST', token, body: event });
    expect(answer.status).to.equal(202);
    return (answer.body as { eventId: string }).eventId;
  }
  async function invite(): Promise<unknown> {
    const productUserDetails = {
      firstName: 'Ada',
      lastName: 'Byron',
      fullName: 'Ada Byron',
      email: 'ada@example.com',
    };
    const body = { token: widgetToken(tenant, user), productUserDetails };
    const answer = await call(`${demo.baseUrl}/widget/session`, { method: 'POST', body });
    return (answer.body as { invite: unknown }).invite;
  }
  async function decided(eventId: string, expected: object): Promise<void> {
    await eventually(
      async () => {
        const { body } = await call(`${demo.baseUrl}/api/events/${eventId}`, { token });
        expect(body).to.include(expected);
      },
      { deadlineMs: 30_000 },
    );
  }

  it('is dead and said to be, and then is their code as before', async () => {
    const issued = await tell('', { productUserId: user });
    const { ucc } = issued;
    const before = await buy(ucc);
    await decided(before, { outcome: 'attributed' });

    const { disabledAt } = await tell('/disable', { ucc });
    expect(await tell('', { productUserId: user })).to.deep.include({ ucc, disabledAt });
    expect(await tell('', { productUserId: user })).to.not.have.property('link');
    await eventually(async () => {
      expect((await lookUp(ucc)).body).to.include({ valid: false });
      expect((await activeLink()).status).to.equal(404);
      expect(await invite()).to.equal(null);
    });
    const between = await buy(ucc);
    await decided(between, { outcome: 'not-attributed', reason: 'code-disabled' });

    expect(await tell('/enable', { ucc })).to.deep.equal(issued);
    expect((await lookUp(ucc)).body).to.include({ valid: true });
    expect((await activeLink()).body).to.deep.equal({ activeUcc: ucc, link: issued.link });
    expect(await invite()).to.include({ ucc, link: issued.link });
    expect(await tell('', { productUserId: user })).to.deep.equal(issued);
    const after = await buy(ucc);
    await decided(after, { outcome: 'attributed' });
    await decided(before, { outcome: 'attributed' });
    await decided(between, { outcome: 'not-attributed', reason: 'code-disabled' });
  });
});

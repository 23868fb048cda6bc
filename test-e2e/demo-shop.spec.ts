import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { Demo, DemoTenant } from '../deploy/demo/demo-file.ts';
import type { Delivery } from '../deploy/demo/main-job.ts';
import { sharedStack } from './shared-stack.ts';

/** The shop without a browser: what its pages say, and what its server reports. */
describe('the demo shop (issue 9)', () => {
  let demo: Demo;
  let tenant: DemoTenant;
  let cookie = '';

  before(async function () {
    this.timeout(180_000);
    ({ demo } = await sharedStack());
    tenant = demo.tenants.find(({ tenantId }) => tenantId === 'demo-shop')!;
  });

  it('has both script tags as they are documented (4.7 rule 2), and a strict policy', async () => {
    const landing = await get('/join');
    const src = (path: string) => `src="${demo.assetsUrl}${path}"`;
    expect(tagsOf(landing.text)).to.include(
      `<script type="module" async ${src('/attribution/latest/tributary-attribution.js')}></script>`,
    );
    await post('/sign-in', { customer: tenant.referrer.productUserId });
    const account = await get('/account');
    expect(tagsOf(account.text)).to.include(
      `<script type="module" async crossOrigin="anonymous" ${src('/app/latest/tributary-widget.js')}></script>`,
    );
    for (const { headers } of [landing, account]) {
      const policy = headers.get('content-security-policy');
      expect(policy).to.include(`script-src 'self' ${demo.assetsUrl};`);
      expect(policy).to.include(`connect-src ${demo.assetsUrl};`);
      expect(policy).to.include("require-trusted-types-for 'script'");
      expect(policy).to.not.include('unsafe');
    }
  });

  it('keeps the product secret and the access key on its server', async () => {
    await post('/sign-in', { customer: tenant.referrer.productUserId });
    for (const path of ['/', '/teas', '/join', '/sign-in', '/account', '/account.js', '/join.js']) {
      const { status, text } = await get(path);
      expect(status, path).to.equal(200);
      for (const secret of [tenant.productSecret, tenant.secretAccessKey, tenant.accessKeyId]) {
        expect(text, path).to.not.include(secret);
      }
    }
  });

  it('takes a form of another site for nobody', async () => {
    const answer = await post('/sign-in', { customer: tenant.referrer.productUserId });
    expect(answer.headers.get('set-cookie')).to.match(/; HttpOnly; SameSite=Lax$/);
    cookie = '';
    expect((await post('/orders', { tea: 'night-ferry' })).headers.get('location')).to.equal(
      '/join',
    );
  });

  it('reports the sign-up of a friend, what they buy, and a refund', async function () {
    this.timeout(60_000);
    cookie = '';
    const ucc = tenant.referrer.ucc;
    const friend = { name: 'Finn Quay', email: 'finn@harbour-tea.example', ucc };
    const joined = await post('/sign-up', friend);
    expect(joined.headers.get('location')).to.equal('/teas?said=welcome');
    expect((await get('/teas')).text).to.include('€12.60'); // 10 % less than 14 euros
    await untilRewarded(5);

    await post('/orders', { tea: 'harbour-breakfast' });
    await untilRewarded(2.52); // 20 % of 12.60

    const orders = await get('/account');
    const [, order = ''] = /name="order"\s+value="([^"]+)"/.exec(orders.text) ?? [];
    expect((await post('/refunds', { order })).headers.get('location')).to.include('refunded');
    expect((await get('/account')).text)
      .to.include('Refunded')
      .and.not.include('name="order"');
    await untilRefunded(order);
  });

  it('reports nothing of somebody who came without a code, or with one that is none', async () => {
    for (const ucc of ['', 'no-such-code']) {
      cookie = '';
      await post('/sign-up', { name: 'Noor', email: `noor${ucc}@harbour-tea.example`, ucc });
      const page = await get('/teas');
      expect(page.text).to.include('€14.00').and.not.include('€12.60');
    }
  });

  async function untilRewarded(amount: number): Promise<void> {
    await eventually(
      async () => {
        const answer = await fetch(tenant.webhook.receivedUrl);
        const { deliveries } = (await answer.json()) as { deliveries: Rewarded[] };
        const amounts = deliveries
          .map(({ body }) => body.data)
          .filter(({ productUserId }) => productUserId === tenant.referrer.productUserId)
          .map(({ reward }) => reward.amount);
        expect(amounts).to.include(amount);
      },
      { deadlineMs: 30_000 },
    );
  }

  /** The service knows the order as an invoice, and both facts of it. */
  async function untilRefunded(order: string): Promise<void> {
    const path = `/api/tenants/${tenant.tenantId}/explain?invoice=${order}`;
    const headers = { authorization: `Bearer ${demo.adminToken}` };
    await eventually(
      async () => {
        const text = await (await fetch(demo.baseUrl + path, { headers })).text();
        expect(text).to.include('purchase-created').and.include('purchase-refunded');
      },
      { deadlineMs: 30_000 },
    );
  }

  async function get(path: string) {
    const answer = await fetch(demo.shopUrl + path, { headers: { cookie } });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  async function post(path: string, form: Record<string, string>): Promise<Response> {
    const body = new URLSearchParams(form);
    const init = { method: 'POST', body, headers: { cookie }, redirect: 'manual' as const };
    const answer = await fetch(demo.shopUrl + path, init);
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    return answer;
  }
});

type Rewarded = Delivery & { body: { data: { reward: { amount: number } } } };

function tagsOf(page: string): string[] {
  return page.match(/<script\b[^>]*><\/script>/g) ?? [];
}

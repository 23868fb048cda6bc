import { randomUUID } from 'node:crypto';
import { eventually } from '@tributary/testkit/eventually';
import { isLong } from '@tributary/testkit/long-run';
import { expect } from 'chai';
import { type AdminClient, createAdminClient } from '../deploy/demo/admin-client.ts';
import type { DemoTenant } from '../deploy/demo/demo-file.ts';
import type { Stack } from '../deploy/local/stack.ts';
import { startThrowawayStack } from '../deploy/local/throwaway-stack.ts';
import { widgetToken } from '../test-e2e/browser/widget-token.ts';
import { call, purchase, tokenFor } from '../test-e2e/calls.ts';

const rounds = isLong ? 40 : 4;

/**
 * What the admin API has answered holds for whoever asks next, at whichever replica
 * (docs/decisions/0022). Every round asks at once, and once: nothing is tried again.
 */
describe('what the admin API has just answered', function () {
  this.timeout(240_000);
  let stack: Stack;
  let tenant: DemoTenant;
  let admin: AdminClient;
  let ingest: string[];
  let widget: string;

  before(async () => {
    stack = await startThrowawayStack({ replicas: { 'ingest-api': 2 } });
    tenant = stack.demo.tenants[0]!;
    admin = createAdminClient({ baseUrl: stack.demo.baseUrl, token: stack.demo.adminToken });
    ingest = stack.services['ingest-api'].replicas.map(({ port }) => `http://127.0.0.1:${port}`);
    widget = `http://127.0.0.1:${stack.services.widget.replicas[0]!.port}`;
    expect(ingest).to.have.length(2);
  });
  after(async () => {
    await stack?.stop();
  });

  const api = (path: string) => `/api/tenants/${tenant.tenantId}${path}`;
  /** How many of the answers had each status. */
  async function tally(attempt: () => Promise<number[]>): Promise<Record<number, number>> {
    const counts: Record<number, number> = {};
    for (let round = 0; round < rounds; round++) {
      for (const status of await attempt()) counts[status] = (counts[status] ?? 0) + 1;
    }
    return counts;
  }

  it('a code is found, and has a link, at every replica', async () => {
    const token = await tokenFor(stack.demo, tenant);
    const counts = await tally(async () => {
      const productUserId = randomUUID();
      const body = { productUserId };
      const { ucc } = await admin.call<{ ucc: string }>('POST', api('/codes'), body);
      const paths = [ucc, `active-link/${productUserId}`];
      const urls = ingest.flatMap((url) => paths.map((path) => `${url}/referral-codes/${path}`));
      const answers = await Promise.all(urls.map((url) => call(url, { token })));
      return answers.map(({ status }) => status);
    });
    expect(counts).to.deep.equal({ 200: 4 * rounds });
  });

  it('an access key gives a token at one replica, and the token opens the other', async () => {
    const counts = await tally(async () => {
      const pair = await admin.call<object>('POST', api('/access-keys'));
      const answers = await Promise.all(
        ingest.map((url) => call(`${url}/token`, { method: 'POST', body: pair })),
      );
      const { accessToken: token } = answers[0]!.body as { accessToken: string };
      const event = purchase(tenant, randomUUID());
      const url = `${ingest[1]}/v2/events/purchase-created`;
      const accepted = await call(url, { method: 'POST', token, body: event });
      return [...answers, accepted].map(({ status }) => status);
    });
    expect(counts).to.deep.equal({ 201: 2 * rounds, 202: rounds });
  });

  it('a new tenant can set up everything, and its widget boots with a code', async () => {
    const counts = await tally(async () => {
      const made = { name: 'New' };
      const fresh = await admin.call<Fresh>('POST', '/api/tenants', made);
      const base = `/api/tenants/${fresh.tenantId}`;
      await admin.call('PUT', `${base}/campaigns/c`, campaign);
      const pair = await admin.call<object>('POST', `${base}/access-keys`);
      const token = await call(`${ingest[0]}/token`, { method: 'POST', body: pair });
      const session = await boot(fresh);
      const invited = (session.body as { invite: unknown }).invite !== null;
      return [token.status, session.status, invited ? 1 : 0];
    });
    expect(counts).to.deep.equal({ 1: rounds, 200: rounds, 201: rounds });
  });

  it('a new product secret signs widget tokens', async () => {
    const fresh = await admin.call<Fresh>('POST', '/api/tenants', { name: 'Renewed' });
    const counts = await tally(async () => {
      const path = `/api/tenants/${fresh.tenantId}/product-secret`;
      const renewed = await admin.call<{ productSecret: string }>('POST', path);
      return [(await boot({ ...fresh, ...renewed })).status];
    });
    expect(counts).to.deep.equal({ 200: rounds });
  });

  it('a registered domain is answered with the campaign of a new code', async () => {
    const counts = await tally(async () => {
      const domain = `${randomUUID()}.example`;
      const ask = async (ucc: string) => {
        const query = new URLSearchParams({ ucc, productId: tenant.productId }).toString();
        const headers = { origin: `https://${domain}` };
        const { body } = await call(`${widget}/widget/campaign-config?${query}`, { headers });
        return 'campaignConfig' in (body as object) ? 1 : 0;
      };
      const before = await ask(tenant.referrer.ucc);
      await admin.call('POST', api('/domains'), { domain });
      const registered = await ask(tenant.referrer.ucc);
      const code = { productUserId: 'collector', ucc: `code-${randomUUID()}` };
      const unknown = await ask(code.ucc);
      await admin.call('POST', api('/codes'), code);
      return [before, registered, unknown, await ask(code.ucc)];
    });
    expect(counts).to.deep.equal({ 0: 2 * rounds, 1: 2 * rounds });
  });

  it('a webhook endpoint is the one that a test is sent to', async () => {
    const counts = await tally(async () => {
      const fresh = await admin.call<Fresh>('POST', '/api/tenants', { name: 'Hooked' });
      const base = `/api/tenants/${fresh.tenantId}/webhook`;
      // Nobody listens there; a test that cannot be delivered is answered with 200 too.
      await admin.call('PUT', base, { url: 'http://127.0.0.1:9/' });
      const test = await call(`${stack.demo.baseUrl}${base}/test`, {
        method: 'POST',
        token: stack.demo.adminToken,
      });
      return [test.status];
    });
    expect(counts).to.deep.equal({ 200: rounds });
  });

  it('a key that was revoked and a code that was disabled end at every replica soon after', async () => {
    const token = await tokenFor(stack.demo, tenant);
    const waits: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const pair = await admin.call<{ accessKeyId: string }>('POST', api('/access-keys'));
      const { ucc } = await admin.call<{ ucc: string }>('POST', api('/codes'), {
        productUserId: randomUUID(),
      });
      const url = `${stack.demo.baseUrl}${api(`/access-keys/${pair.accessKeyId}`)}`;
      await call(url, { method: 'DELETE', token: stack.demo.adminToken });
      await admin.call('POST', api('/codes/disable'), { ucc });
      const answeredMs = performance.now();
      await eventually(
        async () => {
          for (const replica of ingest) {
            const refused = await call(`${replica}/token`, { method: 'POST', body: pair });
            expect(refused.status).to.equal(401);
            const found = await call(`${replica}/referral-codes/${ucc}`, { token });
            expect(found.body).to.include({ valid: false });
          }
        },
        { everyMs: 5 },
      );
      waits.push(performance.now() - answeredMs);
    }
    waits.sort((a, b) => a - b);
    console.log(`      after at most ${waits.at(-1)!.toFixed(0)} ms`);
  });

  type Fresh = { tenantId: string; productId: string; productSecret: string };

  function boot(customer: Fresh) {
    const productUserDetails = {
      firstName: 'Ada',
      lastName: 'Byron',
      fullName: 'Ada Byron',
      email: 'ada@example.com',
    };
    const body = { token: widgetToken(customer, randomUUID()), productUserDetails };
    return call(`${widget}/widget/session`, { method: 'POST', body });
  }
});

const campaign = {
  name: 'Spring',
  landingUrl: 'https://example.com/join',
  rules: [
    {
      ruleId: 'signup',
      trigger: 'signup-created',
      recipient: 'referrer',
      effect: { kind: 'fixed', credits: '5' },
    },
  ],
};

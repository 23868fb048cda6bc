import { randomUUID } from 'node:crypto';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { Demo, DemoTenant } from '../deploy/demo/demo-file.ts';
import { type Answer, call, purchase, tokenFor } from './calls.ts';
import { sharedDemo } from './shared-stack.ts';

type Own = {
  outcome: string;
  reason?: string;
  tests: { test: string; passed: boolean }[];
  rewards: { recipientRole: string; state: string; entitledCredits: string }[];
};

/** Both sides earn; the referrer at most 40 credits a month. */
const campaign = {
  name: 'Both sides',
  landingUrl: 'https://acme.example/both',
  creditScale: 2,
  rules: [
    {
      ruleId: 'purchase',
      trigger: 'purchase-created',
      recipient: 'both',
      effect: { kind: 'fixed', credits: '30' },
      newUserEffect: { kind: 'fixed', credits: '10' },
      limits: { perRecipient: [{ period: 'month', credits: '40' }] },
    },
    {
      ruleId: 'yearly',
      trigger: 'purchase-created',
      recipient: 'referrer',
      effect: { kind: 'fixed', credits: '50' },
      conditions: { intervals: ['yearly'] },
    },
  ],
};

describe('what was decided, and why', () => {
  const referrer = `ada-${randomUUID()}`;
  const occurredAt = new Date().toISOString();
  let demo: Demo;
  let acme: DemoTenant;
  let globex: DemoTenant;
  let token: string;
  let ucc: string;
  let eventId: string;

  before(async function () {
    this.timeout(180_000);
    demo = await sharedDemo();
    [acme, globex] = demo.tenants as [DemoTenant, DemoTenant];
    token = await tokenFor(demo, acme);
    const tenant = `/api/tenants/${acme.tenantId}`;
    await admin('PUT', `${tenant}/campaigns/both-sides`, campaign);
    const code = { productUserId: referrer, campaignId: 'both-sides' };
    ({ ucc } = (await admin('POST', `${tenant}/codes`, code)).body as { ucc: string });
    await report('purchase-created', paid('first', { occurredAt }));
    eventId = await report('purchase-created', paid('second', { occurredAt }));
    const { subscription: _s, ...refund } = paid('second', { occurredAt, amount: 2_450 });
    await report('purchase-refunded', refund);
  });

  it('is shown to the customer for its own event, with the token of /v2', async function () {
    this.timeout(60_000);
    const own = await eventually(
      async () => {
        const answer = await call(`${demo.baseUrl}/api/events/${eventId}`, { token });
        expect(answer.status).to.equal(200);
        const found = answer.body as Own;
        // Decisions and rewards are read from topics of their own.
        expect(found.outcome).to.equal('attributed');
        expect(credits(found)).to.deep.equal({ referrer: '5', 'new-user': '5' });
        return found;
      },
      { deadlineMs: 40_000 },
    );
    expect(own.tests.every(({ passed }) => passed)).to.equal(true);
    const foreign = await tokenFor(demo, globex);
    const hidden = await call(`${demo.baseUrl}/api/events/${eventId}`, { token: foreign });
    expect(hidden.status).to.equal(404);
  });

  it('is told to an operator in plain sentences, from the fact to the webhook', async () => {
    const text = await eventually(
      async () => {
        const { body } = await admin('GET', `/api/explain?event=${eventId}`);
        const found = (body as { text: string }).text;
        expect(found.match(/delivered on attempt/g)).to.have.length.at.least(2);
        return found;
      },
      { deadlineMs: 20_000 },
    );
    expect(text).to.contain('paid 49.00 EUR');
    expect(text).to.match(/effect +0 → 30 /);
    expect(text).to.match(/limit +30 → 10 /);
    expect(text).to.match(/refund +10 → 5 /);
    expect(text).to.match(/rule "yearly"\n.*\n.*✗ interval/);
  });

  it('adds up in the balance', async () => {
    const path = `/api/tenants/${acme.tenantId}/recipients/${referrer}/balance`;
    const { body } = await admin('GET', path);
    const { entitled, issued, owed, reversed } = body as Record<string, string>;
    expect({ entitled, reversed }).to.deep.equal({ entitled: '35', reversed: '5' });
    expect(Number(issued) + Number(owed)).to.equal(35);
  });

  async function admin(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await call(`${demo.baseUrl}${path}`, { method, token: demo.adminToken, body });
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer;
  }

  async function report(type: string, body: object): Promise<string> {
    const url = `${demo.baseUrl}/v2/events/${type}`;
    const answer = await call(url, { method: 'POST', token, body });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(202);
    return (answer.body as { eventId: string }).eventId;
  }

  function paid(name: string, more: object): Record<string, unknown> {
    return purchase(acme, `${referrer}-${name}`, { ucc, ...more }) as Record<string, unknown>;
  }

  function credits({ rewards }: Own): Record<string, string> {
    return Object.fromEntries(rewards.map((one) => [one.recipientRole, one.entitledCredits]));
  }
});

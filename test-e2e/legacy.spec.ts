import { randomUUID } from 'node:crypto';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { Demo, DemoTenant } from '../deploy/demo/demo-file.ts';
import { type Answer, call, purchase, type Received, receivedBy, tokenFor } from './calls.ts';
import { sharedDemo } from './shared-stack.ts';

type Change = {
  payload?: object;
  event?: object;
  newUser?: object;
  subscription?: object;
};

describe('the legacy endpoint, through the edge', () => {
  let demo: Demo;
  let tenant: DemoTenant;
  let token: string;

  before(async function () {
    this.timeout(180_000);
    demo = await sharedDemo();
    tenant = demo.tenants[0]!;
    token = await tokenFor(demo, tenant);
  });

  const post = (body: unknown, headers: Record<string, string> = {}) =>
    call(`${demo.baseUrl}/events`, { method: 'POST', token, body, headers });

  const buy = (invoiceId: string, more: object = {}) =>
    call(`${demo.baseUrl}/v2/events/purchase-created`, {
      method: 'POST',
      token,
      body: purchase(tenant, invoiceId, more),
    });

  function legacy(newUserId: string, change: Change = {}) {
    const { ucc } = tenant.referrer;
    return {
      eventName: 'ReferralUpdated',
      payload: { ucc, newUserId, price: 4900, currency: 'EUR', ...change.payload },
      context: {
        event: { trigger: 'invoice-paid', timestamp: '2026-03-01 10:00:00', ...change.event },
        newUser: {
          id: newUserId,
          name: 'Nova Buyer',
          email: 'nova@example.com',
          ...change.newUser,
        },
        subscription: { invoiceId: randomUUID(), ...change.subscription },
      },
    };
  }

  /** Webhooks that came after `before`, once there are `count` of them or more. */
  function rewardsAfter(before: number, count: number): Promise<Received['deliveries']> {
    return eventually(
      async () => {
        const rewards = (await receivedBy(tenant)).slice(before);
        expect(rewards.length).to.be.at.least(count);
        return rewards;
      },
      { deadlineMs: 15_000 },
    );
  }

  const amountOf = (delivery: Received['deliveries'][number]) => delivery.body.data.reward.amount;

  function expectSuccess(answer: Answer): void {
    expect([answer.status, answer.body]).to.deep.equal([200, { success: true }]);
  }

  for (const [trigger, amount] of Object.entries({ 'invoice-paid': 50, 'new-signup': 5 })) {
    it(`rewards ${trigger} and answers 200 {success: true} (4.4)`, async () => {
      const before = (await receivedBy(tenant)).length;
      expectSuccess(await post(legacy(randomUUID(), { event: { trigger } })));
      const [reward] = await rewardsAfter(before, 1);
      expect(amountOf(reward!)).to.equal(amount);
    });
  }

  for (const trigger of ['demo-call-attended', 'charge-refunded']) {
    it(`takes ${trigger}, and what its user buys after it is rewarded (4.4)`, async () => {
      const before = (await receivedBy(tenant)).length;
      const user = randomUUID();
      expectSuccess(await post(legacy(user, { event: { trigger } })));
      expectSuccess(await post(legacy(user)));
      const [reward] = await rewardsAfter(before, 1);
      expect(amountOf(reward!)).to.equal(50);
    });
  }

  it('takes a refund without an invoice id, and a signup without a trigger', async () => {
    const before = (await receivedBy(tenant)).length;
    const refund = { event: { trigger: 'charge-refunded' }, subscription: { invoiceId: null } };
    expectSuccess(await post(legacy(randomUUID(), refund)));
    const signup = { event: { trigger: null }, payload: { price: '0', currency: '' } };
    expectSuccess(await post(legacy(randomUUID(), signup)));
    const [reward] = await rewardsAfter(before, 1);
    expect(amountOf(reward!)).to.equal(5);
  });

  for (const first of ['v2', 'legacy']) {
    it(`earns once for an invoice that both endpoints report, ${first} first (design 4)`, async () => {
      const before = (await receivedBy(tenant)).length;
      const [user, invoiceId] = [randomUUID(), randomUUID()];
      const reports = [
        async () => {
          expect((await buy(invoiceId, { newUser: { id: user } })).status).to.equal(202);
        },
        async () => expectSuccess(await post(legacy(user, { subscription: { invoiceId } }))),
      ];
      if (first === 'legacy') reports.reverse();
      await reports[0]!();
      await rewardsAfter(before, 1);
      await reports[1]!();
      // By the same user, hence behind the others on their partition.
      expect((await buy(randomUUID(), { newUser: { id: user } })).status).to.equal(202);
      expect(await rewardsAfter(before, 2)).to.have.length(2);
    });
  }

  it('earns once for a payment without invoice id and timestamp that is sent twice', async () => {
    const before = (await receivedBy(tenant)).length;
    const user = randomUUID();
    const bare = { subscription: { invoiceId: '' }, event: { timestamp: '' } };
    expectSuccess(await post(legacy(user, bare)));
    await rewardsAfter(before, 1);
    expectSuccess(await post(legacy(user, bare)));
    expect((await buy(randomUUID(), { newUser: { id: user } })).status).to.equal(202);
    expect(await rewardsAfter(before, 2)).to.have.length(2);
  });

  const timestamps: Record<string, string> = {
    'the year 0000': '0000-01-01 00:00:00',
    'the year 0000 with an offset of +23:59': '0000-01-01T00:00:00+23:59',
    'second 60': '2016-12-31T23:59:60',
    'the end of 9999 with an offset of -23:59': '9999-12-31 23:59:59.999 -23:59',
    'a fraction of 20,000 digits': `2026-03-01 10:00:00.${'7'.repeat(20_000)}`,
  };
  for (const [what, timestamp] of Object.entries(timestamps)) {
    it(`takes ${what}, attributes it and rewards it (design 8)`, async () => {
      const before = (await receivedBy(tenant)).length;
      expectSuccess(await post(legacy(randomUUID(), { event: { timestamp } })));
      const [reward] = await rewardsAfter(before, 1);
      expect(amountOf(reward!)).to.equal(50);
    });
  }

  it('rewards what is sloppy: text for numbers, lower case, unknown fields, wrong types', async () => {
    const before = (await receivedBy(tenant)).length;
    const sloppy = {
      ...legacy(randomUUID(), {
        payload: { price: '4900.5', currency: ' eur ', newUserEmail: 'flat@example.com' },
        newUser: { email: 'no e-mail', name: null, fullName: 'Nova' },
        subscription: { interval: 'now and then', seatsUsed: '2.5' },
      }),
      extra: [{}],
    };
    expectSuccess(await post(`\ufeff${JSON.stringify(sloppy)}`, { 'content-type': 'text/plain' }));
    const [reward] = await rewardsAfter(before, 1);
    expect(amountOf(reward!)).to.equal(50);
  });

  const refusals: Record<string, { sent: Parameters<typeof call>[1]; status: number }> = {
    'no newUserId': { sent: { method: 'POST', body: { payload: {} } }, status: 400 },
    'an unknown currency': {
      sent: { method: 'POST', body: { payload: { newUserId: 'u', price: 1, currency: 'ZZZ' } } },
      status: 400,
    },
    'no JSON': { sent: { method: 'POST', body: '{"payload":' }, status: 400 },
    'no token': { sent: { method: 'POST', token: 'nonsense', body: {} }, status: 401 },
    'another method': { sent: { method: 'PUT', body: {} }, status: 405 },
    'a body above 64 KiB': { sent: { method: 'POST', body: 'x'.repeat(65_537) }, status: 413 },
  };
  for (const [what, { sent, status }] of Object.entries(refusals)) {
    it(`answers ${what} with ${status} and nothing but a message (4.4, design 8)`, async () => {
      const answer = await call(`${demo.baseUrl}/events`, { token, ...sent });
      expect(answer.status).to.equal(status);
      expect(answer.body).to.have.all.keys('message');
      expect(answer.headers.get('content-type')).to.match(/^application\/json/);
      if (status === 401) expect(answer.headers.get('www-authenticate')).to.equal('Bearer');
      if (status === 405) expect(answer.headers.get('allow')).to.equal('POST');
    });
  }

  for (const path of ['/events/', '/events/x', '/v1/events', '/v1/events/', '/Events']) {
    it(`knows no ${path} (4.4)`, async () => {
      const options = { method: 'POST', token, body: legacy('u') };
      expect((await call(`${demo.baseUrl}${path}`, options)).status).to.equal(404);
    });
  }
});

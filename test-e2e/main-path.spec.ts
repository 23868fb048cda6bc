import { randomUUID } from 'node:crypto';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { Demo, DemoTenant } from '../deploy/demo/demo-file.ts';
import { call, purchase, type Received, receivedBy, tokenFor } from './calls.ts';
import { sharedDemo } from './shared-stack.ts';

type Accepted = { eventId: string; receivedAt: string };

describe('from a purchase to a webhook', () => {
  let demo: Demo;
  let acme: DemoTenant;
  let globex: DemoTenant;
  let token: string;

  before(async function () {
    this.timeout(180_000);
    demo = await sharedDemo();
    [acme, globex] = demo.tenants as [DemoTenant, DemoTenant];
    token = await tokenFor(demo, acme);
  });

  const buy = (body: object, headers: Record<string, string> = {}) =>
    call(`${demo.baseUrl}/v2/events/purchase-created`, { method: 'POST', token, body, headers });

  /** Deliveries that came after `before`, once there are at least `count` of them. */
  async function deliveriesAfter(before: number, count: number): Promise<Received['deliveries']> {
    return eventually(
      async () => {
        const all = await receivedBy(acme);
        expect(all.length).to.be.at.least(before + count);
        return all.slice(before);
      },
      { deadlineMs: 15_000 },
    );
  }

  /** A purchase by itself: when its webhook has come, everything before it has been decided. */
  async function flush(): Promise<void> {
    const before = (await receivedBy(acme)).length;
    expect((await buy(purchase(acme, `flush-${randomUUID()}`))).status).to.equal(202);
    await deliveriesAfter(before, 1);
  }

  it('answers 202 with eventId and receivedAt, and the webhook arrives (1, 2.6, 2.12, 6.1)', async () => {
    const before = (await receivedBy(acme)).length;
    const answer = await buy(purchase(acme, randomUUID()));
    expect(answer.status).to.equal(202);
    expect((answer.body as Accepted).eventId).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect((answer.body as Accepted).receivedAt).to.match(/^\d{4}-.*Z$/);
    expect(answer.body).to.not.have.property('warnings');
    const [delivery] = await deliveriesAfter(before, 1);
    expect(delivery?.body).to.have.keys('version', 'eventType', 'createdTs', 'eventId', 'data');
    expect(delivery?.body).to.include({ version: '1.0.0', eventType: 'new-reward' });
    expect(delivery?.body.data).to.deep.include({
      productUserId: acme.referrer.productUserId,
      rewardType: 'credits',
      reward: { amount: 50 },
    });
  });

  it('gives the same answer to the same key and rewards once (4.1 rule 8)', async () => {
    const before = (await receivedBy(acme)).length;
    const body = purchase(acme, randomUUID());
    const key = { 'idempotency-key': randomUUID() };
    const first = await buy(body, key);
    const second = await buy(body, key);
    expect(second.status).to.equal(202);
    expect(second.body).to.deep.equal(first.body);
    await flush();
    const ids = (await deliveriesAfter(before, 2)).map((d) => d.body.eventId);
    expect(new Set(ids).size).to.equal(2); // this purchase, and the one that flushed
  });

  it('refuses the same key with another body (4.1 rule 9)', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const before = (await receivedBy(acme)).length;
    await buy(purchase(acme, randomUUID()), key);
    const answer = await buy(purchase(acme, randomUUID()), key);
    await deliveriesAfter(before, 1);
    expect(answer.status).to.equal(409);
    expect(answer.body).to.include({ code: 'IDEMPOTENCY_CONFLICT', status: 409 });
  });

  it('takes the same invoice twice without a key as two events, and rewards one', async () => {
    const before = (await receivedBy(acme)).length;
    const body = purchase(acme, randomUUID());
    const [first, second] = [await buy(body), await buy(body)];
    expect((first.body as Accepted).eventId).to.not.equal((second.body as Accepted).eventId);
    await flush();
    expect(await deliveriesAfter(before, 2)).to.have.length(2); // one for the invoice, one flush
  });

  it('lists every violation of a request with its pointer (4.1 rule 1)', async () => {
    const answer = await buy(
      purchase(acme, 'inv', { amount: '4900', currency: 'eur', colour: 'red', subscription: {} }),
    );
    expect(answer.status).to.equal(422);
    expect(answer.headers.get('content-type')).to.match(/^application\/problem\+json/);
    const { code, errors } = answer.body as {
      code: string;
      errors: { pointer: string; code: string }[];
    };
    expect(code).to.equal('VALIDATION_ERROR');
    expect(errors.map((e) => `${e.pointer} ${e.code}`)).to.have.members([
      '/amount INVALID_TYPE',
      '/currency INVALID_ENUM',
      '/colour UNKNOWN_FIELD',
      '/subscription/interval REQUIRED',
    ]);
  });

  it('answers 401 without valid credentials (5 rule 4)', async () => {
    const answer = await call(`${demo.baseUrl}/v2/events/purchase-created`, {
      method: 'POST',
      token: 'nonsense',
      body: purchase(acme, 'inv'),
    });
    expect(answer.status).to.equal(401);
    expect(answer.body).to.include({ code: 'UNAUTHORIZED' });
    expect(answer.headers.get('www-authenticate')).to.match(/^Bearer/);
  });

  it('looks a code up, and hides it from another tenant (4.5)', async () => {
    const url = `${demo.baseUrl}/referral-codes/${acme.referrer.ucc}`;
    const own = await call(url, { token });
    expect(own.status).to.equal(200);
    expect(own.body).to.deep.equal({
      code: acme.referrer.ucc,
      valid: true,
      productUserId: acme.referrer.productUserId,
      campaignId: acme.campaignId,
    });
    const foreign = await call(url, { token: await tokenFor(demo, globex) });
    expect(foreign.status).to.equal(404);
  });

  it("decides another tenant's use of a code as unknown: no reward for anyone", async () => {
    const [acmeBefore, globexBefore] = [
      (await receivedBy(acme)).length,
      (await receivedBy(globex)).length,
    ];
    const answer = await call(`${demo.baseUrl}/v2/events/purchase-created`, {
      method: 'POST',
      token: await tokenFor(demo, globex),
      body: purchase(acme, randomUUID()),
    });
    expect(answer.status).to.equal(202);
    await flush();
    expect((await receivedBy(acme)).length).to.equal(acmeBefore + 1); // the flush alone
    expect((await receivedBy(globex)).length).to.equal(globexBefore);
  });

  it('rewards a signup from the legacy endpoint and answers 200 (4.4)', async () => {
    const before = (await receivedBy(acme)).length;
    const answer = await call(`${demo.baseUrl}/events`, {
      method: 'POST',
      token,
      body: {
        eventName: 'ReferralUpdated',
        payload: { ucc: acme.referrer.ucc, newUserId: randomUUID(), price: 0, currency: '' },
        context: {
          event: { trigger: 'new-signup', timestamp: '2099-01-02 03:04:05' },
          newUser: { name: 'Nova', email: 'nova@example.com' },
        },
      },
    });
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal({ success: true });
    await eventually(async () => {
      const rewards = (await receivedBy(acme)).slice(before).map((d) => d.body.data.reward);
      expect(rewards).to.deep.include({ amount: 5 });
    });
  });

  it('answers a legacy event without newUserId with 400 and says so (4.4)', async () => {
    const answer = await call(`${demo.baseUrl}/events`, {
      method: 'POST',
      token,
      body: { payload: { ucc: acme.referrer.ucc, price: 0, currency: '' } },
    });
    expect(answer.status).to.equal(400);
    expect((answer.body as { message: string }).message).to.match(/newUserId/);
  });

  for (const path of ['/v1/token', '/v1/authentication/token', '/v1/events']) {
    it(`knows no ${path} (4.3, 4.4)`, async () => {
      const answer = await call(`${demo.baseUrl}${path}`, { method: 'POST', token, body: {} });
      expect(answer.status).to.equal(404);
    });
  }
});

import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { createCustomer, type Customer } from './browser/customer.ts';
import { sharedDemo } from './shared-stack.ts';

type Reward = {
  rewardId: string;
  newUserId: string;
  state: string;
  entitledCredits: string;
  reviewReasons?: string[];
};

/**
 * A signup that the customer's backend did not report, taken from the first boot of somebody who
 * had followed a link: never paid without an operator, and never beside the backend's own report.
 */
describe('a signup that only a browser knows of', function () {
  this.timeout(120_000);
  let baseUrl: string;
  let careful: Customer;
  let recovering: Customer;

  before(async function () {
    this.timeout(240_000);
    const demo = await sharedDemo();
    ({ baseUrl } = demo);
    const landingUrl = 'https://tea.example/join';
    careful = await createCustomer(demo, { landingUrl, domains: ['careful.example'] });
    recovering = await createCustomer(demo, {
      landingUrl,
      domains: ['recovering.example'],
      widget: { recoverSignups: true },
    });
  });

  it('is not taken where the customer did not ask for it', async () => {
    await boot(careful, 'quiet-user', { clickedDaysAgo: 1 });
    // What another user's backend says afterwards has come through: so would this have by then.
    const newUser = { id: 'loud-user' };
    const occurredAt = new Date().toISOString();
    await careful.client.signupCreated({ ucc: careful.referrer.ucc, occurredAt, newUser });
    await eventually(async () => expect(await rewardsOf(careful, 'loud-user')).to.have.length(1), {
      deadlineMs: 30_000,
    });
    expect(await eventsOf(careful, 'quiet-user')).to.deep.equal([]);
  });

  it('is attributed, and what it earns waits for an operator', async () => {
    await boot(recovering, 'bo', { clickedDaysAgo: 6 });
    await boot(recovering, 'bo', { clickedDaysAgo: 6 });
    const [reward] = await eventually(
      async () => {
        const rewards = await rewardsOf(recovering, 'bo');
        expect(rewards).to.have.length(1);
        return rewards;
      },
      { deadlineMs: 30_000 },
    );
    expect(reward).to.deep.include({
      state: 'review',
      entitledCredits: '5',
      reviewReasons: ['recovered-signup'],
    });
    // The portal may have heard of the reward before it has of the decision.
    await eventually(async () => {
      const events = await eventsOf(recovering, 'bo');
      expect(events.map(({ source, outcome }) => ({ source, outcome }))).to.deep.equal([
        { source: 'widget', outcome: 'attributed' },
      ]);
    });
  });

  it('is a duplicate as soon as the backend reports it, which earns as ever', async () => {
    await boot(recovering, 'cy', { clickedDaysAgo: 2 });
    await eventually(async () => expect(await eventsOf(recovering, 'cy')).to.have.length(1), {
      deadlineMs: 30_000,
    });
    const occurredAt = new Date().toISOString();
    const newUser = { id: 'cy' };
    await recovering.client.signupCreated({ ucc: recovering.referrer.ucc, occurredAt, newUser });
    await eventually(
      async () => {
        const events = await eventsOf(recovering, 'cy');
        expect(Object.fromEntries(events.map((e) => [e.source, e.outcome]))).to.deep.equal({
          widget: 'not-attributed',
          v2: 'attributed',
        });
        const rewards = await rewardsOf(recovering, 'cy');
        expect(rewards.filter(({ entitledCredits }) => Number(entitledCredits) > 0)).to.have.length(
          1,
        );
        expect(rewards.find(({ state }) => state === 'issued')).to.include({
          entitledCredits: '5',
        });
      },
      { deadlineMs: 30_000 },
    );
  });

  it('is not taken from a link followed more than a week before, nor from one of their own', async () => {
    await boot(recovering, 'dee', { clickedDaysAgo: 8 });
    await boot(recovering, 'ada', { clickedDaysAgo: 1 });
    await boot(recovering, 'eve', { clickedDaysAgo: 1 });
    await eventually(async () => expect(await eventsOf(recovering, 'eve')).to.have.length(1), {
      deadlineMs: 30_000,
    });
    expect(await eventsOf(recovering, 'dee')).to.deep.equal([]);
    expect(await eventsOf(recovering, 'ada')).to.deep.equal([]);
  });

  async function boot(
    customer: Customer,
    user: string,
    { clickedDaysAgo }: { clickedDaysAgo: number },
  ): Promise<void> {
    const capturedAt = new Date(Date.now() - clickedDaysAgo * 86_400_000).toISOString();
    const answer = await fetch(`${baseUrl}/widget/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'https://app.tea.example' },
      body: JSON.stringify({
        token: customer.tokenOf(user),
        productUserDetails: { firstName: 'Bo' },
        click: { ucc: customer.referrer.ucc, capturedAt },
      }),
    });
    expect(answer.status, await answer.text()).to.equal(200);
  }

  async function rewardsOf(customer: Customer, newUserId: string): Promise<Reward[]> {
    type Page = { rewards: Reward[] };
    const { rewards } = await customer.admin.call<Page>('GET', `${customer.at}/rewards`);
    return rewards.filter((reward) => reward.newUserId === newUserId);
  }

  async function eventsOf(customer: Customer, newUserId: string) {
    type Page = { events: { source: string; outcome: string }[] };
    const query = `user=${encodeURIComponent(newUserId)}`;
    return (await customer.admin.call<Page>('GET', `${customer.at}/events?${query}`)).events;
  }
});

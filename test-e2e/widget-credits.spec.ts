import { randomUUID } from 'node:crypto';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { Demo } from '../deploy/demo/demo-file.ts';
import { createCustomer, type Customer } from './browser/customer.ts';
import { sharedDemo } from './shared-stack.ts';

type Credits = { earned: string; held: string; toOffset: string; issued: string };
type Balance = Record<'entitled' | 'held' | 'review' | 'withheld' | 'issued' | 'owed', string>;
type Reward = { rewardId: string; entitledCredits: string; issuedCredits: string };

/**
 * One referrer for each history: the widget, the balance and the list of rewards tell the same of
 * it.
 */
describe('what the widget says of credits, and what operators are told of them', function () {
  this.timeout(180_000);
  let demo: Demo;
  let customer: Customer;
  before(async () => {
    demo = await sharedDemo();
    customer = await createCustomer(demo, {
      landingUrl: 'https://credits.example/join',
      domains: ['credits.example'],
    });
    await campaign('percent', [earn('purchase', 'referrer', percent), signup]);
    await campaign('held', [{ ...earn('purchase', 'referrer', percent), holdDays: 14 }]);
    const limits = { perRecipient: [{ period: 'lifetime', credits: '3' }] };
    await campaign('capped', [{ ...earn('purchase', 'referrer', percent), limits }]);
  });

  it('a full refund after the payout: the signup is earned, the purchase is to be offset', async () => {
    const ada = await referrer('percent');
    await ada.friend('f1').signsUp();
    const order = await ada.friend('f1').buys(1_260);
    await ada.has({ earned: '7.52', held: '0', toOffset: '0', issued: '7.52' });
    await order.isRefunded();
    await ada.has({ earned: '5', held: '0', toOffset: '2.52', issued: '7.52' });
  });

  it('the next reward makes up for the refund, and is earned as any other', async () => {
    const bea = await referrer('percent');
    const order = await bea.friend('f2').buys(5_000);
    await bea.has({ earned: '10', held: '0', toOffset: '0', issued: '10' });
    await order.isRefunded();
    await bea.has({ earned: '0', held: '0', toOffset: '10', issued: '10' });
    await bea.friend('f3').buys(2_000);
    await bea.has({ earned: '4', held: '0', toOffset: '6', issued: '10' });
    await bea.friend('f4').buys(5_000);
    await bea.has({ earned: '14', held: '0', toOffset: '0', issued: '14' });
  });

  it('what waits for its hold is on hold, beside what is to be offset in another campaign', async () => {
    const cleo = await referrer('percent', 'held');
    const order = await cleo.friend('f5').buys(5_000);
    await cleo.has({ earned: '10', held: '0', toOffset: '0', issued: '10' });
    await order.isRefunded();
    await cleo.friend('f6', 'held').buys(10_000);
    await cleo.has({ earned: '0', held: '20', toOffset: '10', issued: '10' });
  });

  it('what an operator withholds is neither earned nor on hold', async () => {
    const dora = await referrer('held');
    await dora.friend('f7').buys(10_000);
    await dora.has({ earned: '0', held: '20', toOffset: '0', issued: '0' });
    const [reward] = await dora.rewards();
    const path = `${customer.at}/rewards/${reward!.rewardId}/withhold`;
    await customer.admin.call('POST', path, { by: 'test' });
    await dora.has({ earned: '0', held: '0', toOffset: '0', issued: '0' });
  });

  it('what a limit cut to nothing is nothing, and nothing is to be offset for it', async () => {
    const eve = await referrer('capped');
    await eve.friend('f8').buys(1_250);
    await eve.friend('f9').buys(5_000);
    await eve.friend('f10').buys(5_000);
    await eventually(async () => expect(await eve.rewards()).to.have.length(3));
    await eve.has({ earned: '3', held: '0', toOffset: '0', issued: '3' });
  });

  async function campaign(campaignId: string, rules: readonly object[]): Promise<void> {
    const landingUrl = 'https://credits.example/join';
    const body = { name: campaignId, landingUrl, status: 'running', creditScale: 2, rules };
    await customer.admin.call('PUT', `${customer.at}/campaigns/${campaignId}`, body);
  }

  /** A user of their own with a code in each of the campaigns. */
  async function referrer(...campaigns: [string, ...string[]]) {
    const { admin, at, client } = customer;
    const productUserId = `referrer-${randomUUID()}`;
    const codes = new Map<string, string>();
    for (const campaignId of campaigns) {
      const code = { productUserId, campaignId };
      const { ucc } = await admin.call<{ ucc: string }>('POST', `${at}/codes`, code);
      await eventually(async () => expect(await client.lookup(ucc)).to.include({ valid: true }));
      codes.set(campaignId, ucc);
    }
    const rewards = async () => {
      const path = `${at}/rewards?recipient=${productUserId}`;
      return (await admin.call<{ rewards: Reward[] }>('GET', path)).rewards;
    };

    return {
      rewards,
      friend: (name: string, campaignId = campaigns[0]) =>
        friend(`${name}-${productUserId}`, codes.get(campaignId)!),
      /** Waits until the widget shows these credits, and compares what operators are shown. */
      async has(expected: Credits): Promise<void> {
        await eventually(
          async () => {
            expect(await creditsShown(productUserId)).to.deep.equal(expected);
            const path = `${at}/recipients/${productUserId}/balance`;
            const balance = await admin.call<Balance>('GET', path);
            expect(creditsOfBalance(balance)).to.deep.equal(inMillionths(expected));
            const listed = await rewards();
            const sum = (of: (reward: Reward) => string) =>
              listed.reduce((total, reward) => total + millionths(of(reward)), 0n);
            expect(sum((reward) => reward.entitledCredits)).to.equal(millionths(balance.entitled));
            expect(sum((reward) => reward.issuedCredits)).to.equal(millionths(balance.issued));
          },
          { deadlineMs: 60_000 },
        );
      },
    };
  }

  function friend(id: string, ucc: string) {
    const { client } = customer;
    const fact = () => ({ ucc, occurredAt: new Date().toISOString(), newUser: { id } });
    return {
      signsUp: () => client.signupCreated(fact()),
      async buys(amount: number) {
        const payment = { invoiceId: randomUUID(), currency: 'EUR' as const, amount };
        const subscription = { interval: 'monthly' as const };
        await client.purchaseCreated({ ...fact(), ...payment, subscription });
        return { isRefunded: () => client.purchaseRefunded({ ...fact(), ...payment }) };
      },
    };
  }

  async function creditsShown(productUserId: string): Promise<Credits> {
    const answer = await fetch(`${demo.assetsUrl}/widget/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: customer.tokenOf(productUserId), productUserDetails: {} }),
    });
    expect(answer.status).to.equal(200);
    return ((await answer.json()) as { credits: Credits }).credits;
  }
});

/** The same four numbers, from what the balance of a recipient says. */
function creditsOfBalance(balance: Balance) {
  const held = millionths(balance.held) + millionths(balance.review);
  const earned = millionths(balance.entitled) - held - millionths(balance.withheld);
  const issued = millionths(balance.issued);
  expect(millionths(balance.owed)).to.equal(millionths(balance.entitled) - issued);
  return { earned, held, toOffset: issued > earned ? issued - earned : 0n, issued };
}

function inMillionths({ earned, held, toOffset, issued }: Credits) {
  return {
    earned: millionths(earned),
    held: millionths(held),
    toOffset: millionths(toOffset),
    issued: millionths(issued),
  };
}

function millionths(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(6, '0'));
}

const percent = { kind: 'percent', basisPoints: 2_000, creditsPerMajorUnit: { EUR: '1' } };
const signup = {
  ...{ ruleId: 'signup', trigger: 'signup-created', recipient: 'referrer' },
  effect: { kind: 'fixed', credits: '5' },
};

function earn(ruleId: string, recipient: string, effect: object) {
  return { ruleId, trigger: 'purchase-created', recipient, effect };
}

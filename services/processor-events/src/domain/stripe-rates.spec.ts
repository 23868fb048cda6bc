import { expect } from 'chai';
import { burstOf, endpointOf, questionsAtOnce, stripeRatesOf } from './stripe-rates.ts';

describe('rates of requests to Stripe', () => {
  it('are a share of what Stripe documents for the mode', () => {
    expect(stripeRatesOf({ livemode: true, percent: 60 })).to.deep.equal({
      accountPerSecond: 60,
      endpointPerSecond: 15,
    });
    expect(stripeRatesOf({ livemode: false, percent: 60 })).to.deep.equal({
      accountPerSecond: 15,
      endpointPerSecond: 15,
    });
  });

  it('leave at least one question at once, and never a crowd', () => {
    const atOnce = (percent: number) =>
      questionsAtOnce(stripeRatesOf({ livemode: false, percent }));
    expect([1, 4, 60, 1_000].map(atOnce)).to.deep.equal([1, 1, 15, 32]);
  });

  it('stay within the limit with the burst after a pause', () => {
    for (const percent of [1, 10, 60, 80]) {
      const { accountPerSecond, endpointPerSecond } = stripeRatesOf({ livemode: true, percent });
      expect(accountPerSecond + burstOf(accountPerSecond)).to.be.at.most(100);
      expect(endpointPerSecond + burstOf(endpointPerSecond)).to.be.at.most(25);
    }
  });

  it('are counted by method and path, whatever the ids', () => {
    expect(endpointOf('GET', 'customers/cus_1')).to.equal('GET customers/{id}');
    expect(endpointOf('GET', 'refunds')).to.equal('GET refunds');
    expect(endpointOf('GET', 'invoices/in_1/lines')).to.equal('GET invoices/{id}/lines');
    expect(endpointOf('GET', 'checkout/sessions')).to.equal('GET checkout/sessions');
    expect(endpointOf('GET', 'checkout/sessions/cs_1/line_items')).to.equal(
      'GET checkout/sessions/{id}/line_items',
    );
    expect(endpointOf('DELETE', 'webhook_endpoints/we_1')).to.equal(
      'DELETE webhook_endpoints/{id}',
    );
  });
});

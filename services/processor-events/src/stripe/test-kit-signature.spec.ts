import { signStripe } from '@tributary/testkit/stripe/deliver-events';
import { expect } from 'chai';
import { Stripe } from 'stripe';

// Here, as the official library is a dependency of this service alone.

describe('the signature of the test kit', () => {
  const body = JSON.stringify({ id: 'evt_1', object: 'event' }, null, 2);
  const stripe = new Stripe('rk_test_123');

  it('is one to the official library', () => {
    const signature = signStripe(body, { secrets: ['whsec_1'] });
    const event = stripe.webhooks.constructEvent(body, signature, 'whsec_1');
    expect(event.id).to.equal('evt_1');
  });

  it('is that of the official library, to the letter', () => {
    const timestamp = 1_700_000_000;
    const official = stripe.webhooks.generateTestHeaderString({
      ...{ timestamp, payload: body, secret: 'whsec_1' },
    });
    expect(signStripe(body, { secrets: ['whsec_1'], timestamp })).to.equal(official);
  });

  it('is none to the official library with another secret, or for another body', () => {
    const signature = signStripe(body, { secrets: ['whsec_1'] });
    expect(() => stripe.webhooks.constructEvent(body, signature, 'whsec_2')).to.throw(/signature/);
    const other = JSON.stringify(JSON.parse(body));
    expect(() => stripe.webhooks.constructEvent(other, signature, 'whsec_1')).to.throw(/signature/);
  });
});

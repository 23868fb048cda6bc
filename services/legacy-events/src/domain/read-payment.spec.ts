import { expect } from 'chai';
import { eventOf, messageOf, payment, readText, warningsOf } from '../testing/envelopes.ts';

/** `price` stands in the body as it is written here. */
function withPrice(text: string) {
  return readText(JSON.stringify(payment({ payload: { price: '@' } })).replace('"@"', text));
}

describe('price and currency of a legacy event (4.4, design 8)', () => {
  const prices: Record<string, number> = {
    '4900': 4900,
    '"4900"': 4900,
    '" 4900 "': 4900,
    '4900.0': 4900,
    '4.9e3': 4900,
    '"4.9E+3"': 4900,
    '4900.5': 4901,
    '4900.49999999999999999999': 4900,
    '0.5': 1,
    '-0': 0,
    '"-0.0"': 0,
    '0e99999': 0,
    '9007199254740991': 9007199254740991,
    '"9007199254740991.4"': 9007199254740991,
  };
  for (const [text, amount] of Object.entries(prices)) {
    it(`takes a price of ${text} for ${amount} minor units`, () => {
      expect(withPrice(text)).to.have.nested.property('event.purchase.amount', amount);
    });
  }

  it('refuses a price below 0, however little, too large, or no number', () => {
    const odd = ['-1', '"-0.01"', '9007199254740992', '9007199254740991.5', '1e400', '"ten"'];
    for (const text of [...odd, 'true', '{}', '[4900]', '" "', '"4,900"', '"0x10"', '"NaN"']) {
      const reading = withPrice(text);
      expect(reading, text).to.deep.equal({
        outcome: 'refused',
        message: 'payload.price must be a number from 0 to 9007199254740991',
      });
    }
  });

  it('warns of what was rounded, and of nothing else', () => {
    const body = payment({ payload: { price: '4900.5' }, subscription: { seatsUsed: 2.5 } });
    expect(eventOf(body)).to.have.nested.property('purchase.subscription.seatsUsed', '3');
    expect(warningsOf(body)).to.deep.equal([
      ['AMOUNT_ROUNDED', '/payload/price'],
      ['SEATS_ROUNDED', '/context/subscription/seatsUsed'],
    ]);
    expect(warningsOf(payment({ payload: { price: '4900.0' } }))).to.deep.equal([]);
  });

  it('takes a price of 0 for a payment of nothing when the trigger or a currency says so', () => {
    expect(eventOf(payment({ payload: { price: 0 } }))).to.have.nested.property(
      'purchase.amount',
      0,
    );
    const untold = payment({ payload: { price: 0 }, event: { trigger: undefined } });
    expect(eventOf(untold)).to.include({ eventType: 'purchase-created' });
  });

  it('takes price 0 and an empty currency for a signup when there is no trigger', () => {
    for (const price of [0, '0', 0.0, '', null, undefined]) {
      for (const currency of ['', ' ', null, undefined]) {
        const body = payment({ payload: { price, currency }, event: { trigger: undefined } });
        expect(eventOf(body).eventType).to.equal('signup-created');
      }
    }
    const almost = payment({ payload: { price: 0.4, currency: '' }, event: { trigger: '' } });
    expect(messageOf(almost)).to.equal('payload.currency is missing');
  });

  it('upper-cases and trims the currency', () => {
    for (const currency of ['usd', 'Usd', ' USD\n']) {
      const body = payment({ payload: { currency } });
      expect(eventOf(body)).to.have.nested.property('purchase.currency', 'USD');
    }
  });

  it('refuses a currency that is not in the list, on every trigger', () => {
    for (const trigger of ['invoice-paid', 'charge-refunded', 'new-signup', undefined]) {
      for (const currency of ['HRK', 'eu', 'EURO', '€', 'uſd', 'ınr', '978', 978, true, {}]) {
        const body = payment({ payload: { currency }, event: { trigger } });
        expect(messageOf(body), JSON.stringify(currency)).to.match(/^payload\.currency/);
      }
    }
  });

  it('needs price and currency on a payment and on a refund', () => {
    for (const trigger of ['invoice-paid', 'charge-refunded']) {
      for (const absent of [undefined, null, '']) {
        const event = { trigger };
        expect(messageOf(payment({ payload: { price: absent }, event }))).to.equal(
          'payload.price is missing',
        );
        expect(messageOf(payment({ payload: { currency: absent }, event }))).to.equal(
          'payload.currency is missing',
        );
      }
    }
  });

  it('takes a payment and a refund without an invoice id', () => {
    const subscription = { invoiceId: undefined };
    expect(eventOf(payment({ subscription }))).to.have.deep.property('purchase', {
      currency: 'EUR',
      amount: 4900,
    });
    const event = { trigger: 'charge-refunded' };
    expect(eventOf(payment({ subscription, event }))).to.have.deep.property('refund', {
      currency: 'EUR',
      amount: 4900,
    });
  });

  it('keeps the subscription, with intervals that nobody knows', () => {
    const subscription = { id: 's1', interval: 'Fortnightly', seatsUsed: '3', productKey: 'pro' };
    expect(eventOf(payment({ subscription }))).to.have.deep.nested.property(
      'purchase.subscription',
      subscription,
    );
  });

  it('refuses members of the subscription that cannot be read', () => {
    const odd = { invoiceId: true, id: {}, interval: [], productKey: 'x'.repeat(256) };
    for (const [name, value] of Object.entries({ ...odd, seatsUsed: -1 })) {
      const message = messageOf(payment({ subscription: { [name]: value } }));
      expect(message).to.include(`context.subscription.${name} `);
    }
  });
});

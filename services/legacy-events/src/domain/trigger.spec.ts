import { expect } from 'chai';
import { chooseEventType, triggers } from './trigger.ts';

const nothingSaid = { isZero: true, hasCurrency: false };
const paid = { isZero: false, hasCurrency: true };

describe('chooseEventType (design 8, "Legacy": triggers)', () => {
  it('knows four triggers', () => {
    expect(triggers.map((trigger) => [trigger, chooseEventType(trigger, paid)])).to.deep.equal([
      ['new-signup', 'signup-created'],
      ['demo-call-attended', 'demo-attended'],
      ['invoice-paid', 'purchase-created'],
      ['charge-refunded', 'purchase-refunded'],
    ]);
  });

  it('believes a trigger whatever the price says', () => {
    expect(chooseEventType('invoice-paid', nothingSaid)).to.equal('purchase-created');
    expect(chooseEventType('new-signup', paid)).to.equal('signup-created');
  });

  it('takes no trigger for a signup when price is 0 and currency empty, else for a payment', () => {
    const choices = [true, false].flatMap((isZero) =>
      [true, false].map((hasCurrency) => [
        isZero,
        hasCurrency,
        chooseEventType(undefined, { isZero, hasCurrency }),
      ]),
    );
    expect(choices).to.deep.equal([
      [true, true, 'purchase-created'],
      [true, false, 'signup-created'],
      [false, true, 'purchase-created'],
      [false, false, 'purchase-created'],
    ]);
  });

  it('knows no other, names of Object.prototype included', () => {
    for (const trigger of ['Invoice-Paid', 'purchase-created', 'constructor', '__proto__', ' ']) {
      expect(chooseEventType(trigger, paid), trigger).to.equal(undefined);
    }
  });
});

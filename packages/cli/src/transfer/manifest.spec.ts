import { type Topic, topics } from '@tributary/contracts/topics';
import { expect } from 'chai';
import { cutOrder, type TransferTopic, transferOrder } from './manifest.ts';

describe('what travels in an export', () => {
  it('is every topic that nothing can derive', () => {
    const derivedOrPassing = (Object.keys(topics) as Topic[]).filter(
      (topic) => topics[topic].generational || /-days$/.test(topics[topic].kept),
    );
    expect([...transferOrder, ...derivedOrPassing]).to.have.members(Object.keys(topics));
    expect(cutOrder).to.have.members([...transferOrder]);
  });

  /** What is made of what; a fact of `referral.events` may come of a record of the processor. */
  const effects: [effect: TransferTopic, cause: TransferTopic][] = [
    ['deliveries', 'issuances'],
    ['issuances', 'events'],
    ['events', 'processor'],
  ];

  for (const [effect, cause] of effects) {
    it(`has ${effect} before ${cause}: cut so that no effect is without its cause, and written so that none is made twice`, () => {
      for (const order of [cutOrder, transferOrder]) {
        expect(order.indexOf(effect)).to.be.below(order.indexOf(cause));
      }
    });
  }

  it('is cut with the catalog last, so that nothing is of a connection, code or campaign that is not there', () => {
    expect(cutOrder.at(-1)).to.equal('catalog');
  });
});

import { expect } from 'chai';
import { priceFor } from './prices.ts';
import type { Customer } from './shop-store.ts';
import { teas } from './teas.ts';

describe('the prices of the demo shop', () => {
  const tea = { ...teas[0]!, price: 1_650 };
  const friend: Customer = {
    ...{ id: 'f', name: 'Finn', email: 'finn@harbour-tea.example' },
    ...{ ucc: 'abc', since: '2026-01-31T10:00:00.000Z' },
  };

  it('are 10 % less for who came by a link, in the first three months', () => {
    expect(priceFor(tea, friend, new Date('2026-01-31T10:00:00Z'))).to.equal(1_485);
    expect(priceFor(tea, friend, new Date('2026-04-30T23:00:00Z'))).to.equal(1_485);
    expect(priceFor(tea, friend, new Date('2026-05-02T00:00:00Z'))).to.equal(1_650);
  });

  it('are the same as ever for all others', () => {
    const now = new Date('2026-02-01T00:00:00Z');
    expect(priceFor(tea, { ...friend, ucc: undefined }, now)).to.equal(1_650);
    expect(priceFor(tea, undefined, now)).to.equal(1_650);
  });
});

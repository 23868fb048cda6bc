import { expect } from 'chai';
import { derivedId } from './derived-id.ts';

describe('a derived id (design 7, "Ids")', () => {
  it('has not changed since the first one was written', () => {
    expect(derivedId('decision', 't1', 'e1')).to.equal('56087e84-a06b-5072-99ac-19af52eb3ebf');
  });

  it('depends on every part and on where one part ends', () => {
    const ids = [
      derivedId('reward', 'a', 'b'),
      derivedId('reward', 'a', 'c'),
      derivedId('reward', 'ab'),
      derivedId('reward', 'a,b'),
      derivedId('issuance', 'a', 'b'),
      derivedId('reward', 'a', 1),
      derivedId('reward', 'a', '1'),
    ];
    expect(new Set(ids).size).to.equal(ids.length);
  });
});

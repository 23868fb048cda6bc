import { expect } from 'chai';
import { v5 } from 'uuid';
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

  it('is a UUIDv5, of any text (RFC 9562, 5.5)', () => {
    for (let i = 0; i < 200; i++) {
      const part = 'é😀'.repeat(i) + i;
      const namespace = 'b9e7c3a4-6d1f-5e2b-9a80-3c5d7f1e2a46';
      expect(derivedId('reward', part)).to.equal(v5(JSON.stringify(['reward', part]), namespace));
    }
  });
});

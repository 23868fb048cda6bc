import { expect } from 'chai';
import fc from 'fast-check';
import { v5 } from 'uuid';
import { derivedId } from './derived-id.ts';

describe('a derived id', () => {
  it('is the UUIDv5 of the JSON array of its cause (design 7, "Ids")', () => {
    const namespace = 'b9e7c3a4-6d1f-5e2b-9a80-3c5d7f1e2a46';
    const part = fc.oneof(fc.string({ unit: 'binary' }), fc.integer());
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const expected = v5(JSON.stringify(['reward', ...parts]), namespace);
        expect(derivedId('reward', ...parts)).to.equal(expected);
      }),
    );
  });

  it('has not changed since the first one was written', () => {
    expect(derivedId('decision', 't1', 'e1')).to.equal('56087e84-a06b-5072-99ac-19af52eb3ebf');
  });
});

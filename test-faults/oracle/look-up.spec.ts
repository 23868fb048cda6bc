import { expect } from 'chai';
import fc from 'fast-check';
import { lookUp } from './look-up.ts';

const letters = fc.constantFrom('a', 'b', 'c', 'd');

describe('what the oracle looks up', () => {
  it('is what a filter gives, in the order of the list, however often it is asked', () => {
    fc.assert(
      fc.property(fc.array(fc.array(letters)), fc.array(letters), (items, keys) => {
        const withLetter = lookUp((item: readonly string[]) => item);
        for (const key of keys) {
          expect(withLetter(items, key)).to.deep.equal(items.filter((item) => item.includes(key)));
        }
      }),
    );
  });

  it('is of the list that is asked, and not of another one', () => {
    const byLetter = lookUp((item: string) => [item]);
    const [one, two] = [
      ['a', 'b'],
      ['b', 'b'],
    ];
    expect(byLetter(one, 'b')).to.deep.equal(['b']);
    expect(byLetter(two, 'b')).to.deep.equal(['b', 'b']);
    expect(byLetter([...one, 'b'], 'b')).to.deep.equal(['b', 'b']);
  });
});

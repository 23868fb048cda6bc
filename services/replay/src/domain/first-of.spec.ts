import { expect } from 'chai';
import fc from 'fast-check';
import { createFirstOf } from './first-of.ts';

describe('the first few of many', () => {
  it('are those of the sorted whole, in whatever order they are reported', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer()), fc.integer({ min: 1, max: 7 }), (all, most) => {
        const first = createFirstOf<number>({ most, compare: (a, b) => a - b });
        for (const item of all) first.add(item);
        const sorted = [...all].sort((a, b) => a - b).slice(0, most);
        expect(first.list()).to.deep.equal(sorted);
      }),
    );
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { createBag } from './bag.ts';

describe('a bag', () => {
  it('holds what a set holds, whatever is added and deleted', () => {
    const step = fc.record({ adds: fc.boolean(), which: fc.nat(9) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const things = Array.from({ length: 10 }, (_, n) => ({ n }));
        const set = new Set<object>();
        const bag = createBag<object>();
        for (const { adds, which } of steps) {
          const thing = things[which]!;
          if (adds) {
            set.add(thing);
            bag.add(thing);
          } else {
            set.delete(thing);
            bag.delete(thing);
          }
          expect(bag.size).to.equal(set.size);
          expect(bag.items).to.have.members([...set]);
        }
      }),
    );
  });

  it('leaves its items to other bags', () => {
    const [one, other] = [createBag<object>(), createBag<object>()];
    const [a, b] = [{}, {}];
    one.add(a);
    one.add(b);
    other.add(b);
    one.delete(a);
    other.delete(b);
    expect([one.items, other.items]).to.deep.equal([[b], []]);
  });
});

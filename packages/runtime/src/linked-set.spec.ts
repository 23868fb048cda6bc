import { expect } from 'chai';
import fc from 'fast-check';
import { createLinkedSet } from './linked-set.ts';

describe('a linked set', () => {
  it('holds what a set holds, in the same order, whatever is added and deleted', () => {
    const step = fc.record({ adds: fc.boolean(), which: fc.nat(9) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const things = Array.from({ length: 10 }, (_, n) => ({ n }));
        const set = new Set<object>();
        const linked = createLinkedSet<object>();
        for (const { adds, which } of steps) {
          const thing = things[which]!;
          if (adds) {
            set.add(thing);
            linked.add(thing);
          } else {
            set.delete(thing);
            linked.delete(thing);
          }
          expect(linked.size).to.equal(set.size);
          expect([...linked]).to.deep.equal([...set]);
          expect(linked.first()).to.equal([...set][0]);
          expect(things.map((each) => linked.has(each))).to.deep.equal(
            things.map((each) => set.has(each)),
          );
        }
      }),
    );
  });

  it('leaves its items to other sets', () => {
    const [one, other] = [createLinkedSet<object>(), createLinkedSet<object>()];
    const [a, b] = [{ a: 1 }, { b: 1 }];
    one.add(a);
    one.add(b);
    other.add(b);
    one.delete(a);
    other.delete(b);
    expect([[...one], [...other]]).to.deep.equal([[b], []]);
  });

  it('does not take a copy of an item for the item', () => {
    const set = createLinkedSet<object>();
    const item = { a: 1 };
    set.add(item);
    const copy = { ...item };
    set.delete(copy);
    expect([...set]).to.deep.equal([item]);
    set.add(copy);
    expect(set.size).to.equal(2);
  });

  it('can be emptied while it is read', () => {
    const set = createLinkedSet<object>();
    const items = [{}, {}, {}];
    for (const item of items) set.add(item);
    const seen = [];
    for (const item of set) {
      seen.push(item);
      set.delete(item);
    }
    expect([seen, set.size]).to.deep.equal([items, 0]);
  });
});

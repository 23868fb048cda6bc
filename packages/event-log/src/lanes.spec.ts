import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { createLanes } from './lanes.ts';

/** Work that lasts until it is told to end. */
function work() {
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const seen: (readonly number[])[] = [];
  const run = (lanes: readonly number[] = []) => {
    seen.push(lanes);
    return promise;
  };
  return { run, end, seen, hasBegun: () => seen.length > 0 };
}

describe('lanes', () => {
  it('let work of different lanes run at once, and of the same one in turn', async () => {
    const lanes = createLanes();
    const [first, beside, second] = [work(), work(), work()];
    const done = [
      lanes.use([1, 2], first.run),
      lanes.use([3], beside.run),
      lanes.use([2], second.run),
    ];
    await turn();
    expect([first, beside, second].map((w) => w.hasBegun())).to.deep.equal([true, true, false]);
    first.end();
    await turn();
    expect(second.hasBegun()).to.equal(true);
    beside.end();
    second.end();
    await Promise.all(done);
  });

  it('keep nobody waiting for ever: who asks later takes no lane that is waited for', async () => {
    const lanes = createLanes();
    const [holder, both, later] = [work(), work(), work()];
    const done = [
      lanes.use([1], holder.run),
      lanes.use([1, 2], both.run),
      lanes.use([2], later.run),
    ];
    await turn();
    expect([both, later].map((w) => w.hasBegun())).to.deep.equal([false, false]);
    holder.end();
    await turn();
    expect([both, later].map((w) => w.hasBegun())).to.deep.equal([true, false]);
    both.end();
    later.end();
    await Promise.all(done);
  });

  it('give those that are free, and wait for one when none is', async () => {
    const lanes = createLanes();
    const [holder, some, waiting] = [work(), work(), work()];
    const held = lanes.use([1], holder.run);
    const taken = lanes.useFree([1, 2, 3], some.run);
    await turn();
    expect(some.seen).to.deep.equal([[2, 3]]);
    const last = lanes.useFree([1, 2], waiting.run);
    await turn();
    expect(waiting.hasBegun()).to.equal(false);
    holder.end();
    await turn();
    expect(waiting.seen).to.deep.equal([[1]]);
    some.end();
    waiting.end();
    await Promise.all([held, taken, last]);
  });

  it('are free again after work that fails, whose error passes on', async () => {
    const lanes = createLanes();
    const error = await lanes
      .use([1], () => Promise.reject(new Error('as it goes')))
      .catch((thrown: Error) => thrown.message);
    expect(error).to.equal('as it goes');
    expect(await lanes.use([1], () => Promise.resolve('done'))).to.equal('done');
  });

  it('are never used twice at once, and all work ends, whatever is asked', async () => {
    const asked = fc.record({
      lanes: fc.uniqueArray(fc.nat(4), { minLength: 1, maxLength: 4 }),
      free: fc.boolean(),
      turns: fc.nat(3),
      before: fc.nat(2),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { maxLength: 25 }), async (all) => {
        const lanes = createLanes();
        const inUse = new Set<number>();
        const done: Promise<number>[] = [];
        for (const { lanes: wanted, free, turns, before } of all) {
          for (let n = 0; n < before; n++) await turn();
          const run = async (mine: readonly number[]) => {
            expect(mine.every((lane) => wanted.includes(lane) && !inUse.has(lane))).to.equal(true);
            for (const lane of mine) inUse.add(lane);
            for (let n = 0; n < turns; n++) await turn();
            for (const lane of mine) inUse.delete(lane);
            return mine.length;
          };
          done.push(free ? lanes.useFree(wanted, run) : lanes.use(wanted, () => run(wanted)));
        }
        const counts = await Promise.all(done);
        expect(counts.every((count) => count > 0)).to.equal(true);
      }),
    );
  });
});

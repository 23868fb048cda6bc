import { expect } from 'chai';
import { createGather } from './gather.ts';

describe('gathering round trips', () => {
  it('puts what comes in one turn, and while a batch is under way, into one batch each', async () => {
    const batches: number[][] = [];
    const gather = createGather<number, number>({
      maxItems: 10,
      send: async (items) => {
        batches.push([...items]);
        await new Promise((resolve) => setImmediate(resolve));
        return items.map((item) => item * 2);
      },
    });
    const first = [1, 2, 3].map(gather);
    await new Promise((resolve) => setImmediate(resolve));
    const second = [4, 5].map(gather);
    expect(await Promise.all([...first, ...second])).to.eql([2, 4, 6, 8, 10]);
    expect(batches).to.eql([
      [1, 2, 3],
      [4, 5],
    ]);
  });

  it('sends enough items at once, and the rest at the end of the turn', async () => {
    const batches: number[][] = [];
    const gather = createGather<number, number>({
      maxItems: 10,
      enoughItems: 2,
      maxUnderWay: 2,
      send: (items) => Promise.resolve((batches.push([...items]), items)),
    });
    const answers = [1, 2, 3, 4, 5].map(gather);
    expect(batches).to.eql([
      [1, 2],
      [3, 4],
    ]);
    expect(await Promise.all(answers)).to.eql([1, 2, 3, 4, 5]);
    expect(batches).to.have.length(3);
  });

  it('lets no more than maxUnderWay batches be under way', async () => {
    let underWay = 0;
    let most = 0;
    const gather = createGather<number, number>({
      maxItems: 1,
      maxUnderWay: 2,
      send: async (items) => {
        most = Math.max(most, ++underWay);
        await new Promise((resolve) => setTimeout(resolve, 1));
        underWay -= 1;
        return items;
      },
    });
    expect(await Promise.all([1, 2, 3, 4, 5].map(gather))).to.eql([1, 2, 3, 4, 5]);
    expect(most).to.equal(2);
  });

  it('sends no more than maxItems at once', async () => {
    const sizes: number[] = [];
    const gather = createGather<number, number>({
      maxItems: 2,
      send: (items) => Promise.resolve(items.map((item) => (sizes.push(items.length), item))),
    });
    await Promise.all([1, 2, 3, 4, 5].map(gather));
    expect(Math.max(...sizes)).to.equal(2);
  });

  it('waits for company when nobody waits for the answer', async () => {
    const batches: number[][] = [];
    const gather = createGather<number, number>({
      maxItems: 10,
      enoughItems: 2,
      lingerMs: 1_000, // longer than the machine could be busy with something else
      send: (items) => Promise.resolve((batches.push([...items]), items)),
    });
    const first = gather(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(batches).to.eql([]);
    expect(await Promise.all([first, gather(2)])).to.eql([1, 2]);
    expect(batches).to.eql([[1, 2]]);
  });

  it('goes without company when none comes in lingerMs', async () => {
    const send = (items: readonly number[]) => Promise.resolve(items);
    const gather = createGather<number, number>({ maxItems: 10, lingerMs: 5, send });
    expect(await gather(1)).to.equal(1);
    expect(await gather(2)).to.equal(2);
  });

  for (const lingerMs of [undefined, 1]) {
    it(`sends what came during a round trip after it (lingerMs: ${lingerMs})`, async () => {
      const begun = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<void>();
      const gather = createGather<number, number>({
        maxItems: 10,
        ...(lingerMs === undefined ? {} : { lingerMs }),
        send: async (items) => {
          begun.resolve();
          await answered.promise;
          return items;
        },
      });
      const first = gather(1);
      await begun.promise;
      const second = gather(2);
      answered.resolve();
      expect(await Promise.all([first, second])).to.eql([1, 2]);
    });
  }

  it('refuses what waits behind a failed round trip, and goes on with what comes later', async () => {
    let fails = true;
    const gather = createGather<number, number>({
      maxItems: 1,
      send: ([item]) => (fails ? Promise.reject(new Error('no answer')) : Promise.resolve([item!])),
    });
    const outcomes = await Promise.allSettled([1, 2, 3].map(gather));
    expect(outcomes.map(({ status }) => status)).to.eql(['rejected', 'rejected', 'rejected']);
    fails = false;
    expect(await gather(4)).to.equal(4);
  });
});

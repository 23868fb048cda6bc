import { expect } from 'chai';
import { type Asked, ask, createBatcher, upTo } from './batcher.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));
const someTurns = async () => {
  for (let i = 0; i < 3; i++) await turn();
};
const never = 1_000_000;

/** Calls that end when the test says so. */
function controlledSend() {
  const batches: number[][] = [];
  const ends: (() => void)[] = [];
  return {
    batches,
    ends,
    send: (batch: readonly number[]) =>
      new Promise<void>((end) => {
        batches.push([...batch]);
        ends.push(end);
      }),
  };
}

describe('a batcher', () => {
  it('sends at the end of the turn what was added in it, the oldest first', async () => {
    const { batches, send, ends } = controlledSend();
    const batcher = createBatcher({ take: upTo<number>(2), send });
    for (const item of [1, 2, 3]) batcher.add(item);
    expect(batches).to.eql([]);
    await turn();
    expect(batches).to.eql([[1, 2]]);
    ends[0]!();
    await someTurns();
    expect(batches).to.eql([[1, 2], [3]]);
  });

  it('sends enough items at once, and gathers anew for what is left', async () => {
    const { batches, send } = controlledSend();
    const batcher = createBatcher({ take: upTo<number>(2), send, enoughItems: 2, maxUnderWay: 3 });
    for (const item of [1, 2, 3]) batcher.add(item);
    expect(batches).to.eql([[1, 2]]);
    await turn();
    expect(batches).to.eql([[1, 2], [3]]);
  });

  it('lets no more than maxUnderWay batches be under way', async () => {
    const { batches, send, ends } = controlledSend();
    const batcher = createBatcher({ take: upTo<number>(1), send, maxUnderWay: 2 });
    for (const item of [1, 2, 3]) batcher.add(item);
    await someTurns();
    expect(batches).to.eql([[1], [2]]);
    ends[0]!();
    await someTurns();
    expect(batches).to.eql([[1], [2], [3]]);
  });

  it('sends a batch beside another only where that is worth it', async () => {
    const { batches, send, ends } = controlledSend();
    const batcher = createBatcher({
      take: upTo<number>(2),
      send,
      maxUnderWay: 2,
      worthAnother: (waiting) => waiting.length >= 2,
    });
    batcher.add(1);
    await turn();
    batcher.add(2);
    await turn();
    expect(batches).to.eql([[1]]);
    batcher.add(3);
    await turn();
    expect(batches).to.eql([[1], [2, 3]]);
    batcher.add(4);
    ends.forEach((end) => end());
    await someTurns();
    expect(batches).to.eql([[1], [2, 3], [4]]);
  });

  it('gathers for gatherMs, again after a call', async () => {
    const { batches, send, ends } = controlledSend();
    const batcher = createBatcher({ take: upTo<number>(9), send, enoughItems: 2, gatherMs: never });
    batcher.add(1);
    batcher.add(2);
    batcher.add(3);
    ends[0]!();
    await someTurns();
    expect(batches).to.eql([[1, 2]]);
    batcher.add(4);
    expect(batches).to.eql([
      [1, 2],
      [3, 4],
    ]);
  });

  it('sends what waits at the end of a call at once where it was told to', async () => {
    const { batches, send, ends } = controlledSend();
    const batcher = createBatcher({
      take: upTo<number>(9),
      send,
      enoughItems: 2,
      gatherMs: never,
      nextAtOnce: true,
    });
    batcher.add(1);
    batcher.add(2);
    batcher.add(3);
    expect(batches).to.eql([[1, 2]]);
    ends[0]!();
    await someTurns();
    expect(batches).to.eql([[1, 2], [3]]);
  });

  it('does not call for nothing, and goes on after a batch of which nothing was wanted', async () => {
    const batches: number[][] = [];
    const batcher = createBatcher<number>({
      take: (waiting) => ({ taken: waiting.filter((item) => item > 1), rest: [] }),
      send: (batch) => Promise.resolve(void batches.push([...batch])),
    });
    batcher.add(1);
    await turn();
    expect(batches).to.eql([]);
    batcher.add(2);
    await turn();
    expect(batches).to.eql([[2]]);
  });

  it('answers those who asked, and hands out those who wait', async () => {
    const batcher = createBatcher<Asked<number, number>>({
      take: upTo(1),
      send(batch) {
        for (const { item, resolve } of batch) resolve(item * 2);
        for (const { reject } of batcher.takeWaiting()) reject(new Error('not now'));
        return Promise.resolve();
      },
    });
    const outcomes = await Promise.allSettled([1, 2, 3].map((item) => ask(batcher, item)));
    expect(outcomes.map(({ status }) => status)).to.eql(['fulfilled', 'rejected', 'rejected']);
    expect(await ask(batcher, 4)).to.equal(8);
  });
});

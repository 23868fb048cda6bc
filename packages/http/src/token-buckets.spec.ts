import { expect } from 'chai';
import { createTokenBuckets } from './token-buckets.ts';

describe('token buckets', () => {
  let nowMs = 0;
  const create = (mostBuckets = 100) =>
    createTokenBuckets({ burstSeconds: 10, nowMs: () => nowMs, mostBuckets });
  const rate = { perSecond: 0.5 };

  it('give ten seconds’ worth at once, then the rate, and say when to come again', () => {
    const take = create();
    const answers = Array.from({ length: 6 }, () => take('a', rate));
    expect(answers).to.deep.equal([undefined, undefined, undefined, undefined, undefined, 2]);
    nowMs += 1_999;
    expect(take('a', rate)).to.equal(1);
    nowMs += 1;
    expect(take('a', rate)).to.equal(undefined);
    nowMs += 3_600_000;
    for (let n = 0; n < 5; n += 1) expect(take('a', rate)).to.equal(undefined);
    expect(take('a', rate)).to.equal(2);
  });

  it('are one for each key, and never more than so many', () => {
    const take = create(3);
    for (let n = 0; n < 5; n += 1) take('a', rate);
    expect(take('a', rate)).to.equal(2);
    expect(take('b', rate)).to.equal(undefined);
    for (const key of ['c', 'd', 'e', 'f']) expect(take(key, rate)).to.equal(undefined);
    expect(take('a', rate), 'forgotten').to.equal(undefined);
  });

  it('are not forgotten while they are used, however many others come', () => {
    const take = create(4);
    for (let n = 0; n < 5; n += 1) take('a', rate);
    for (let n = 0; n < 20; n += 1) {
      expect(take(`other ${n}`, rate)).to.equal(undefined);
      expect(take('a', rate)).to.equal(2);
    }
  });
});

import { expect } from 'chai';
import { createLagJudge } from './live-lag.ts';

const at = (second: number, end: number, committed?: number) => ({
  atMs: second * 1_000,
  ends: new Map([['events/0', BigInt(end)]]),
  committed: new Map(committed === undefined ? [] : [['events/0', BigInt(committed)]]),
});

describe('how far live attribution is behind', () => {
  it('yields while it is behind by more than the limit, and moves', () => {
    const judge = createLagJudge({ limit: 500 });
    judge(at(0, 10_000, 1_000));
    judge(at(1, 10_000, 2_000));
    expect(judge(at(2, 10_000, 3_000))).to.deep.equal({ lag: 7_000, yields: true });
    expect(judge(at(4, 10_000, 9_500))).to.deep.equal({ lag: 500, yields: false });
  });

  it('does not take commits that are a second old for a lag, whatever the rate', () => {
    const judge = createLagJudge({ limit: 500 });
    const rate = 5_000;
    const told = Array.from({ length: 20 }, (_, i) => judge(at(i, (i + 1) * rate, i * rate)));
    expect(told.some(({ yields }) => yields)).to.equal(false);
  });

  it('goes on when live attribution stands still, or is not there at all', () => {
    const judge = createLagJudge({ limit: 500 });
    judge(at(0, 10_000, 1_000));
    judge(at(1, 10_000, 2_000));
    expect(judge(at(10, 12_000, 2_000)).yields).to.equal(true);
    expect(judge(at(12, 14_000, 2_000))).to.deep.equal({ lag: 10_000, yields: false });
    const absent = createLagJudge({ limit: 500 });
    absent(at(0, 10_000));
    expect(absent(at(5, 10_000))).to.deep.equal({ lag: 0, yields: false });
  });
});

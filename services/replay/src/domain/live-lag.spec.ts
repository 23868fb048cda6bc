import { expect } from 'chai';
import { createLagEvaluator } from './live-lag.ts';

const at = (second: number, end: number, committed?: number) => ({
  atMs: second * 1_000,
  ends: new Map([['events/0', BigInt(end)]]),
  committed: new Map(committed === undefined ? [] : [['events/0', BigInt(committed)]]),
});

describe('how far live attribution is behind', () => {
  it('yields while it is behind by more than the limit, and moves', () => {
    const evaluate = createLagEvaluator({ limit: 500 });
    evaluate(at(0, 10_000, 1_000));
    evaluate(at(1, 10_000, 2_000));
    expect(evaluate(at(2, 10_000, 3_000))).to.deep.equal({ lag: 7_000, yields: true });
    expect(evaluate(at(4, 10_000, 9_500))).to.deep.equal({ lag: 500, yields: false });
  });

  it('does not take commits that are a second old for a lag, whatever the rate', () => {
    const evaluate = createLagEvaluator({ limit: 500 });
    const rate = 5_000;
    const reported = Array.from({ length: 20 }, (_, i) =>
      evaluate(at(i, (i + 1) * rate, i * rate)),
    );
    expect(reported.some(({ yields }) => yields)).to.equal(false);
  });

  it('goes on when live attribution stands still, or is not there at all', () => {
    const evaluate = createLagEvaluator({ limit: 500 });
    evaluate(at(0, 10_000, 1_000));
    evaluate(at(1, 10_000, 2_000));
    expect(evaluate(at(10, 12_000, 2_000)).yields).to.equal(true);
    expect(evaluate(at(12, 14_000, 2_000))).to.deep.equal({ lag: 10_000, yields: false });
    const absent = createLagEvaluator({ limit: 500 });
    absent(at(0, 10_000));
    expect(absent(at(5, 10_000))).to.deep.equal({ lag: 0, yields: false });
  });
});

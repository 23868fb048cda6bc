import { expect } from 'chai';
import { scalingOf } from './watch-replicas.ts';

describe('how a Deployment was scaled', () => {
  const told = (...wanted: number[]) =>
    scalingOf(wanted.map((n, i) => ({ atMs: i, wanted: n, ready: n })));

  it('tells the numbers in order, once each', () => {
    expect(told(1, 1, 2, 3, 3, 1).wanted).to.deep.equal([1, 2, 3, 1]);
  });

  it('counts one turn for up and down, however many steps', () => {
    expect(told(1, 2, 3, 2, 1).turns).to.equal(1);
    expect(told(1, 3, 1).turns).to.equal(1);
    expect(told(1, 3).turns).to.equal(0);
  });

  it('counts each further turn', () => {
    expect(told(1, 3, 2, 3, 1).turns).to.equal(3);
  });

  it('knows the most that were ready, not those that were only wanted', () => {
    const samples = [
      { atMs: 0, wanted: 1, ready: 1 },
      { atMs: 1, wanted: 3, ready: 1 },
      { atMs: 2, wanted: 3, ready: 2 },
    ];
    expect(scalingOf(samples).mostReady).to.equal(2);
    expect(scalingOf([]).mostReady).to.equal(0);
  });
});

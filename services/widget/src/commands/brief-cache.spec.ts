import { expect } from 'chai';
import { createBriefCache } from './brief-cache.ts';

describe('a brief cache', () => {
  let nowMs = 0;
  let loads: string[] = [];
  beforeEach(() => {
    nowMs = 0;
    loads = [];
  });
  const make = <V>(maxEntries = 3) =>
    createBriefCache<V>({ keepMs: 5_000, maxEntries, nowMs: () => nowMs });
  const load = (key: string) => () => {
    loads.push(key);
    return key === 'missing' ? undefined : key;
  };

  it('looks a thing up once in its time, a thing that is missing too', () => {
    const cache = make<string | undefined>();
    for (const key of ['a', 'missing', 'a', 'missing']) cache(key, load(key));
    expect(loads).to.eql(['a', 'missing']);
    nowMs = 4_999;
    expect(cache('a', load('a'))).to.equal('a');
    expect(loads).to.have.length(2);
    nowMs = 5_000;
    cache('a', load('a'));
    expect(loads).to.have.length(3);
  });

  it('keeps no more than it may, the newest', () => {
    const cache = make<string | undefined>(2);
    for (const key of ['a', 'b', 'c', 'b', 'c']) cache(key, load(key));
    expect(loads).to.eql(['a', 'b', 'c']);
    cache('a', load('a'));
    cache('b', load('b'));
    expect(loads).to.eql(['a', 'b', 'c', 'a', 'b']);
  });

  it('shares a look-up that is under way, and forgets one that failed', async () => {
    const cache = make<Promise<number>>();
    let calls = 0;
    const fail = async () => {
      calls += 1;
      throw new Error('no database');
    };
    const both = [cache('a', fail), cache('a', fail)];
    const outcomes = await Promise.allSettled(both);
    expect(outcomes.map(({ status }) => status)).to.eql(['rejected', 'rejected']);
    expect(calls).to.equal(1);
    expect(await cache('a', async () => 7)).to.equal(7);
  });
});

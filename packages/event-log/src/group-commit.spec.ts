import { expect } from 'chai';
import { createGroupCommit } from './group-commit.ts';

type Slice = { source: string; records: number; name: string };
const slice = (name: string, source = 'a', records = 1): Slice => ({ source, records, name });

function groupsOver(commit: (slices: readonly Slice[]) => Promise<void>, maxRecords = 10) {
  return createGroupCommit<Slice>({
    commit,
    sizeOf: (s) => s.records,
    kindOf: (s) => s.source,
    maxRecords,
    isTransient: (error) => (error as Error).message === 'away',
  });
}

describe('group commit', () => {
  it('commits what is submitted together together, one source at a time', async () => {
    const seen: string[][] = [];
    const groups = groupsOver((slices) => {
      seen.push(slices.map((s) => s.name));
      return Promise.resolve();
    });
    const all = [slice('1'), slice('2', 'b'), slice('3'), slice('4', 'b')];
    await Promise.all(all.map(groups.submit));
    expect(seen).to.deep.equal([
      ['1', '3'],
      ['2', '4'],
    ]);
  });

  it('closes a group at its limit of records, and takes a larger slice alone', async () => {
    const seen: string[][] = [];
    const groups = groupsOver((slices) => {
      seen.push(slices.map((s) => s.name));
      return Promise.resolve();
    });
    const sizes = [6, 6, 25].map((records, i) => slice(String(i), 'a', records));
    await Promise.all(sizes.map(groups.submit));
    expect(seen).to.deep.equal([['0'], ['1'], ['2']]);
  });

  it('lets a slice that fails fail alone', async () => {
    const committed = new Set<string>();
    const groups = groupsOver((slices) => {
      if (slices.some((s) => s.name === 'poison')) return Promise.reject(new Error('no'));
      for (const s of slices) committed.add(s.name);
      return Promise.resolve();
    });
    const outcomes = await Promise.allSettled(
      ['1', 'poison', '2'].map((name) => groups.submit(slice(name))),
    );
    expect(outcomes.map((o) => o.status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect([...committed]).to.deep.equal(['1', '2']);
  });

  it('fails all at once when the database is away', async () => {
    let tries = 0;
    const groups = groupsOver(() => {
      tries += 1;
      return Promise.reject(new Error('away'));
    });
    const outcomes = await Promise.allSettled(['1', '2', '3'].map((n) => groups.submit(slice(n))));
    expect(outcomes.every((o) => o.status === 'rejected')).to.equal(true);
    expect(tries).to.equal(1);
  });
});

import { expect } from 'chai';
import { isSameSearch, readViews, renamed, withoutView, withView } from './views.ts';

const waiting = { name: 'Waiting', search: { outcome: 'waiting' } };
const legacy = { name: 'Legacy', search: { source: 'legacy' } };

describe('saved views', () => {
  it('are read as they were kept, without what is no view', () => {
    const kept = [waiting, null, 1, { name: '', search: {} }, { name: 'x', search: { a: 1 } }];
    expect(readViews(JSON.stringify([...kept, legacy]))).to.deep.equal([waiting, legacy]);
    for (const nothing of [null, '', 'no JSON', '{}', '7']) {
      expect(readViews(nothing), String(nothing)).to.deep.equal([]);
    }
  });

  it('are added at the end, or in the place of one of the same name', () => {
    const views = withView(withView([], waiting), legacy);
    expect(views).to.deep.equal([waiting, legacy]);
    const other = { name: 'Waiting', search: { outcome: 'pending' } };
    expect(withView(views, other)).to.deep.equal([other, legacy]);
  });

  it('are renamed where they stand, and one of the new name goes', () => {
    expect(renamed([waiting, legacy], 'Waiting', 'Late')).to.deep.equal([
      { ...waiting, name: 'Late' },
      legacy,
    ]);
    expect(renamed([waiting, legacy], 'Waiting', 'Legacy')).to.deep.equal([
      { ...waiting, name: 'Legacy' },
    ]);
    expect(renamed([waiting], 'Waiting', 'Waiting')).to.deep.equal([waiting]);
  });

  it('are deleted by name', () => {
    expect(withoutView([waiting, legacy], 'Waiting')).to.deep.equal([legacy]);
  });

  it('show the same when their parameters are the same in any order', () => {
    expect(isSameSearch({ a: '1', b: '2' }, { b: '2', a: '1' })).to.equal(true);
    expect(isSameSearch({ a: '1' }, { a: '2' })).to.equal(false);
    expect(isSameSearch({ a: '1' }, { a: '1', b: '2' })).to.equal(false);
  });
});

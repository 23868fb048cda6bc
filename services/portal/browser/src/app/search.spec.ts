import { expect } from 'chai';
import { instant, oneOf, parseSearch, readSearch, text, writeSearch } from './search.ts';

const fields = { state: oneOf('held', 'review'), from: instant, open: text };

describe('search parameters', () => {
  it('are what the page declares, and nothing else', () => {
    const given = { state: 'review', from: '2026-01-01T00:00:00Z', open: '', other: 'x' };
    expect(readSearch(fields, given)).to.deep.equal({
      state: 'review',
      from: '2026-01-01T00:00:00Z',
    });
    expect(readSearch(fields, { state: 'nonsense', from: 'yesterday', open: 7 })).to.deep.equal({});
  });

  it('stand in the address as plain texts, and come back the same', () => {
    const search = { open: '12', recipient: 'a&b=c d/é', state: undefined };
    const written = writeSearch(search);
    expect(written).to.equal('?open=12&recipient=a%26b%3Dc+d%2F%C3%A9');
    expect(parseSearch(written)).to.deep.equal({ open: '12', recipient: 'a&b=c d/é' });
    expect(writeSearch({})).to.equal('');
  });
});

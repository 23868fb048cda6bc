import { expect } from 'chai';
import { attempted } from '../testing/facts.ts';
import { distinctAttempts } from './recorded-attempt.ts';

describe('attempts of one number', () => {
  it('show the one that was delivered, in whatever order they are reported', () => {
    const [lost, made] = [attempted('ev-1'), attempted('ev-1', { outcome: 'delivered' })];
    expect(distinctAttempts([lost, made])).to.deep.equal([made]);
    expect(distinctAttempts([made, lost])).to.deep.equal([made]);
  });

  it('show the later of two alike, and one of two equal ones', () => {
    const first = attempted('ev-1');
    const later = attempted('ev-1', { startedAt: '2026-03-01T10:00:00.001Z' });
    expect(distinctAttempts([later, first, { ...first }])).to.deep.equal([later]);
    expect(distinctAttempts([first, { ...first }])).to.have.length(1);
  });

  it('are apart when their deliveries or numbers are', () => {
    const facts = [attempted('ev-1'), attempted('ev-1', { attempt: 2 }), attempted('ev-2')];
    expect(distinctAttempts(facts)).to.deep.equal(facts);
  });
});

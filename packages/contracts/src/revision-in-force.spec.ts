import { expect } from 'chai';
import { parseTimestamp } from './rfc3339.ts';
import { always, effectiveFromSeconds, revisionInForce } from './revision-in-force.ts';

const at = (revision: number, effectiveFromSeconds: string) => ({ revision, effectiveFromSeconds });

describe('the revision in force', () => {
  it('is the latest to take effect by then, from its very instant on', () => {
    const revisions = [at(1, '-62167219200'), at(2, '100.25'), at(3, '200')];
    const inForce = (seconds: string) => revisionInForce(revisions, seconds)?.revision;
    expect(inForce('-62167219201')).to.equal(undefined);
    expect(inForce('100.249')).to.equal(1);
    expect(inForce('100.25')).to.equal(2);
    expect(inForce('9999999999')).to.equal(3);
  });

  it('is the higher of two with the same time, in whatever order they are given', () => {
    const revisions = [at(1, '0'), at(3, '5'), at(2, '5.0')];
    for (const given of [revisions, [...revisions].reverse()]) {
      expect(revisionInForce(given, '5')?.revision).to.equal(3);
    }
  });

  it('goes by time before number: a later revision may take effect earlier', () => {
    expect(revisionInForce([at(1, '10'), at(2, '5')], '10')?.revision).to.equal(1);
  });

  it('that holds from always holds for every event that can be reported (2.7 rule 4)', () => {
    const first = at(1, effectiveFromSeconds(always)!);
    for (const moment of ['0000-01-01T00:00:00+23:59', '0000-01-01T00:00:00Z']) {
      expect(revisionInForce([first], parseTimestamp(moment)!.seconds)).to.equal(first);
    }
    expect(effectiveFromSeconds('2026-01-01T00:00:00.500Z')).to.equal('1767225600.5');
    expect(effectiveFromSeconds('soon')).to.equal(undefined);
  });

  it('does not exist without revisions', () => {
    expect(revisionInForce([], '0')).to.equal(undefined);
  });
});

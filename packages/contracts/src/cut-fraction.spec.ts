import { expect } from 'chai';
import { cutFraction } from './cut-fraction.ts';
import { parseTimestamp } from './rfc3339.ts';

describe('a fraction of a second where it is copied', () => {
  const digits = '1234567890'.repeat(5_000);

  it('has 32 digits at most, in a timestamp and in seconds', () => {
    const text = `2026-01-01T00:00:00.${digits}+02:00`;
    const cut = `2026-01-01T00:00:00.${digits.slice(0, 32)}+02:00`;
    expect(cutFraction(text)).to.equal(cut);
    const { seconds = '' } = parseTimestamp(text) ?? {};
    expect(cutFraction(seconds)).to.equal(parseTimestamp(cut)?.seconds);
    expect(cutFraction(`-0.${digits}`)).to.equal(`-0.${digits.slice(0, 32)}`);
  });

  it('stays as it is when it has fewer', () => {
    const exact = `0000-01-01T00:00:00.${digits.slice(0, 32)}-00:00`;
    for (const text of [exact, '2026-01-01T00:00:00Z', '-62167219200.5', '0', '']) {
      expect(cutFraction(text)).to.equal(text);
    }
  });
});

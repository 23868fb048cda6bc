import { expect } from 'chai';
import { readOccurredAt } from './occurred-at.ts';

describe('readOccurredAt (design 8, "Legacy")', () => {
  it('keeps RFC 3339 as it is', () => {
    const sent = '2026-03-01T10:00:00.5+01:00';
    expect(readOccurredAt(sent)).to.include({ text: sent, seconds: '1772355600.5' });
    expect(readOccurredAt(sent)).not.to.have.property('raw');
  });

  it('keeps what is valid but extreme, to the letter', () => {
    for (const [sent, seconds] of [
      ['0000-01-01T00:00:00Z', '-62167219200'],
      ['0000-01-01T00:00:00+23:59', '-62167305540'],
      ['9999-12-31T23:59:59.999-23:59', '253402387139.999'],
      ['2016-12-31T23:59:60Z', '1483228800'],
      ['2026-03-01t10:00:00z', '1772359200'],
      ['2026-03-01T10:00:00-00:00', '1772359200'],
    ] as const) {
      expect(readOccurredAt(sent)).to.include({ text: sent, seconds }).and.not.have.property('raw');
    }
  });

  const tolerated: Record<string, string> = {
    '2026-03-01T10:00:00': '2026-03-01T10:00:00Z',
    '2026-03-01 10:00:00': '2026-03-01T10:00:00Z',
    '2026-03-01 10:00:00.123456': '2026-03-01T10:00:00.123456Z',
    '2026-03-01 10:00': '2026-03-01T10:00:00Z',
    '2026-03-01': '2026-03-01T00:00:00Z',
    '2026-03-01 10:00:00+0130': '2026-03-01T10:00:00+01:30',
    '2026-03-01 10:00:00 +01:00': '2026-03-01T10:00:00+01:00',
    '2026-03-01T10:00:00-05': '2026-03-01T10:00:00-05:00',
    '2026-03-01 10:00:00Z': '2026-03-01T10:00:00Z',
    ' 2026-03-01T10:00:00Z ': '2026-03-01T10:00:00Z',
    '0000-01-01 00:00:00': '0000-01-01T00:00:00Z',
    '2016-12-31 23:59:60': '2016-12-31T23:59:60Z',
    '2017-01-01 23:58:60 +23:59': '2017-01-01T23:58:60+23:59',
    '9999-12-31T23:59:59.999': '9999-12-31T23:59:59.999Z',
  };
  for (const [sent, text] of Object.entries(tolerated)) {
    it(`reads ${sent} as ${text} and keeps what was sent`, () => {
      expect(readOccurredAt(sent)).to.include({ text, raw: sent });
    });
  }

  it('refuses what is no date', () => {
    const odd = ['', 'yesterday', '2026-02-30', '2026-03-01T25:00:00', '1772359200', '01.03.2026'];
    odd.push('2026-03-01 10:00:60', '2026-03-01T10:00:00+24:00', '2026-03-01T10:00:00.', '26-3-1');
    odd.push('2026-03-01T10:00:00 UTC', '2026-03-01T10', '-2026-03-01', '2026-03-01T10:00:00ZZ');
    expect(odd.map((text) => readOccurredAt(text))).to.deep.equal(odd.map(() => undefined));
  });
});

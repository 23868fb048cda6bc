import { expect } from 'chai';
import { readOccurredAt } from './occurred-at.ts';

describe('readOccurredAt (design 8, "Legacy")', () => {
  it('keeps RFC 3339 as it is', () => {
    const sent = '2026-03-01T10:00:00.5+01:00';
    expect(readOccurredAt(sent)).to.include({ text: sent, seconds: '1772355600.5' });
    expect(readOccurredAt(sent)).not.to.have.property('raw');
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
  };
  for (const [sent, text] of Object.entries(tolerated)) {
    it(`reads ${sent} as ${text} and keeps what was sent`, () => {
      expect(readOccurredAt(sent)).to.include({ text, raw: sent });
    });
  }

  it('refuses what is no date', () => {
    const odd = ['', 'yesterday', '2026-02-30', '2026-03-01T25:00:00', '1772359200', '01.03.2026'];
    expect(odd.map((text) => readOccurredAt(text))).to.deep.equal(odd.map(() => undefined));
  });
});

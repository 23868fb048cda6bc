import { expect } from 'chai';
import fc from 'fast-check';
import { addMonths, dateOf, dayNumber, periodOf } from './calendar.ts';
import { asDecimal, decimal, floor, roundHalfEven, whole } from './rational.ts';

// The ground the oracle stands on, by hand and by the platform's own calendar.

describe('the oracle counts', () => {
  for (const [text, places, rounded] of [
    ['0.5', 0, '0'],
    ['1.5', 0, '2'],
    ['2.5', 0, '2'],
    ['2.500001', 0, '3'],
    ['-0.5', 0, '0'],
    ['-1.5', 0, '-2'],
    ['1.005', 2, '1'],
    ['1.015', 2, '1.02'],
    ['90071992547409.915', 2, '90071992547409.92'],
  ] as const) {
    it(`${text} to ${places} places as ${rounded}`, () => {
      expect(asDecimal(roundHalfEven(decimal(text), places))).to.equal(rounded);
    });
  }

  it('the whole seconds of what was before the epoch downwards', () => {
    expect(floor(decimal('-1.75'))).to.equal(-2n);
    expect(floor(decimal('-2'))).to.equal(-2n);
  });
});

describe('the oracle reads a calendar', () => {
  it('as the platform does', () => {
    fc.assert(
      fc.property(fc.integer({ min: -720_000, max: 100_000 }), (day) => {
        const { year, month, day: dayOfMonth } = dateOf(day);
        const date = new Date(day * 86_400_000);
        const expected = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
        expect([year, month, dayOfMonth]).to.deep.equal(expected);
        expect(dayNumber({ year, month, day: dayOfMonth })).to.equal(day);
      }),
    );
  });

  it('whose weeks begin on Monday', () => {
    const at = (text: string) => periodOf('week', whole(Date.parse(text) / 1000));
    expect(at('2026-02-01T23:59:59Z')).to.equal(at('2026-01-26T00:00:00Z'));
    expect(at('2026-02-02T00:00:00Z')).to.not.equal(at('2026-02-01T23:59:59Z'));
    expect(at('1969-12-28T12:00:00Z')).to.not.equal(at('1969-12-29T00:00:00Z'));
  });

  for (const [from, months, to] of [
    ['2026-01-31T10:00:00Z', 1, '2026-02-28T10:00:00Z'],
    ['2024-01-31T00:00:00Z', 1, '2024-02-29T00:00:00Z'],
    ['2026-03-31T23:59:59Z', 11, '2027-02-28T23:59:59Z'],
    ['2026-12-15T00:00:00Z', 1, '2027-01-15T00:00:00Z'],
    ['1969-12-31T23:00:00Z', 2, '1970-02-28T23:00:00Z'],
  ] as const) {
    it(`in which ${months} months after ${from} is ${to}`, () => {
      const later = addMonths(whole(Date.parse(from) / 1000), months);
      expect(asDecimal(later)).to.equal(String(Date.parse(to) / 1000));
    });
  }

  it('and keeps the fraction of a second', () => {
    expect(asDecimal(addMonths(decimal('0.000000000000000001'), 1))).to.equal(
      '2678400.000000000000000001',
    );
  });
});

import { parseTimestamp } from '@tributary/contracts/rfc3339';
import { expect } from 'chai';
import { monthsLater, periodName, periodOf } from './calendar.ts';

function second(text: string): number {
  return Math.floor(Number(parseTimestamp(text)!.seconds));
}

describe('calendar of limits (UTC)', () => {
  it('knows the day, the ISO week and the month of a moment', () => {
    const rows: [Parameters<typeof periodOf>[0], string, string, string][] = [
      ['day', '2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z'],
      ['day', '2026-03-01T00:30:00+01:00', '2026-02-28T00:00:00Z', '2026-03-01T00:00:00Z'],
      ['week', '2026-03-01T23:59:59Z', '2026-02-23T00:00:00Z', '2026-03-02T00:00:00Z'],
      ['week', '2026-03-02T00:00:00Z', '2026-03-02T00:00:00Z', '2026-03-09T00:00:00Z'],
      ['week', '1969-12-31T00:00:00Z', '1969-12-29T00:00:00Z', '1970-01-05T00:00:00Z'],
      ['month', '2026-12-31T23:59:59Z', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
      ['month', '0000-02-29T00:00:00Z', '0000-02-01T00:00:00Z', '0000-03-01T00:00:00Z'],
    ];
    for (const [kind, at, start, end] of rows) {
      expect(periodOf(kind, second(at)), `${kind} ${at}`).to.deep.equal({
        start: second(start),
        end: second(end),
      });
    }
    expect(periodOf('lifetime', 0)).to.deep.equal({});
  });

  it('names them', () => {
    const at = second('2026-03-04T12:00:00Z');
    const names = (['day', 'week', 'month', 'lifetime'] as const).map((k) => periodName(k, at));
    expect(names).to.deep.equal([
      'on 2026-03-04',
      'in the week from 2026-03-02',
      'in 2026-03',
      'in all',
    ]);
  });

  it('adds months, to the last day where the month is shorter', () => {
    const rows: [string, number, string][] = [
      ['2026-01-31T10:00:00Z', 1, '2026-02-28T10:00:00Z'],
      ['2024-01-31T10:00:00Z', 1, '2024-02-29T10:00:00Z'],
      ['2024-02-29T00:00:00Z', 12, '2025-02-28T00:00:00Z'],
      ['2026-11-30T23:59:59Z', 3, '2027-02-28T23:59:59Z'],
      ['0000-01-15T00:00:00Z', 1200, '0100-01-15T00:00:00Z'],
    ];
    for (const [from, months, to] of rows) {
      const later = monthsLater({ whole: BigInt(second(from)), fraction: '123456789' }, months);
      expect(later, from).to.deep.equal({ whole: BigInt(second(to)), fraction: '123456789' });
    }
  });
});

import fc from 'fast-check';

// Times on and beside the borders that rules draw, and how to draw from them.

/** Rarely the first: fast-check shrinks towards it. */
export function mostly<T>(usual: readonly T[], odd: readonly T[], oddIn = 5): fc.Arbitrary<T> {
  return fc.oneof(
    { arbitrary: fc.constantFrom(...usual), weight: oddIn - 1 },
    { arbitrary: fc.constantFrom(...odd), weight: 1 },
  );
}

/** Days after 2026-01-31, a Saturday. */
export function dayText(days: number, time: string): string {
  return new Date(Date.UTC(2026, 0, 31 + days)).toISOString().slice(0, 11) + time;
}

const days = mostly([0, 0, 1, 2, 7, 28, 30], [3, 8, 29, 31, 59, 60, 365]);

/** UTC with milliseconds. */
export const logTimes = fc
  .tuple(days, mostly(['12:00:00.000Z', '00:00:00.000Z'], ['12:00:00.001Z', '11:59:59.999Z']))
  .map(([day, time]) => dayText(day, time));

/** As a caller writes it: any fraction, any offset, in any year. */
export const occurredTimes = fc.oneof(
  {
    weight: 40,
    arbitrary: fc
      .tuple(
        days,
        mostly(['12:00:00', '00:00:00'], ['23:59:59', '23:30:00', '00:15:00']),
        mostly(['', '.000'], ['.0000000001', '.00000000010', '.9999999999999', '.5']),
        mostly(['Z', '+00:00'], ['+02:00', '-11:30', '-23:59']),
      )
      .map(([day, time, fraction, offset]) => dayText(day, time + fraction + offset)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '0000-01-01T00:00:00+23:59',
      '0000-01-01T00:00:00Z',
      '1969-12-28T23:59:59.75Z',
      '2016-12-31T23:59:60.5Z',
      '9999-12-31T23:59:59.999999999Z',
    ),
  },
);

/** A time of day, long before what happens. */
export const noon = '12:00:00.000Z';

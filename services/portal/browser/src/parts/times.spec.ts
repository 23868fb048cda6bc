import { expect } from 'chai';
import { formatInstant, fromInput, toInput } from './times.ts';

describe('times', () => {
  it('are shown in UTC as they are in records, from the year 0000 on', () => {
    expect(formatInstant('2026-11-27T06:43:05.123Z', 'utc')).to.equal('2026-11-27 06:43:05');
    expect(formatInstant('0000-02-29T23:59:59Z', 'utc')).to.equal('0000-02-29 23:59:59');
    expect(formatInstant('2026-11-27T06:43:05+05:30', 'utc')).to.equal('2026-11-27 01:13:05');
    expect(formatInstant('nonsense', 'utc')).to.equal('nonsense');
  });

  it('are typed in the zone that is chosen and kept as instants', () => {
    expect(fromInput('2026-03-29T02:30', 'utc')).to.equal('2026-03-29T02:30:00.000Z');
    expect(toInput('2026-03-29T02:30:00.000Z', 'utc')).to.equal('2026-03-29T02:30');
    expect(fromInput('', 'utc')).to.equal(undefined);
    for (const hour of ['00', '01', '03', '12', '23']) {
      const typed = `2026-10-25T${hour}:30`;
      expect(toInput(fromInput(typed, 'browser'), 'browser')).to.equal(typed);
    }
  });
});

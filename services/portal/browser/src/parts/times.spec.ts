import { expect } from 'chai';
import { formatExactly, formatInstant, formatWithOffset, fromInput, toInput } from './times.ts';

describe('times', () => {
  it('are shown in UTC as they are in records, from the year 0000 on', () => {
    expect(formatInstant('2026-11-27T06:43:05.123Z', 'utc')).to.equal('2026-11-27 06:43:05');
    expect(formatInstant('0000-02-29T23:59:59Z', 'utc')).to.equal('0000-02-29 23:59:59');
    expect(formatInstant('2026-11-27T06:43:05+05:30', 'utc')).to.equal('2026-11-27 01:13:05');
    expect(formatInstant('nonsense', 'utc')).to.equal('nonsense');
  });

  it('are shown to the millisecond where that matters', () => {
    expect(formatExactly('2026-11-27T06:43:05.120Z', 'utc')).to.equal('2026-11-27 06:43:05.120');
    expect(formatExactly('2026-11-27T06:43:05Z', 'utc')).to.equal('2026-11-27 06:43:05');
    expect(formatExactly('nonsense', 'utc')).to.equal('nonsense');
  });

  it('are told with their offset, by which the same hour of two differs', () => {
    expect(formatWithOffset('2026-11-27T06:43:05.12Z', 'utc')).to.equal('2026-11-27T06:43:05.12Z');
    for (const at of [
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:30:00.004Z',
      '2026-03-29T01:00Z',
    ]) {
      const told = formatWithOffset(at, 'browser');
      expect(told).to.match(/[+-]\d\d:\d\d$/);
      expect(Date.parse(told)).to.equal(Date.parse(at));
    }
    expect(formatWithOffset('nonsense', 'browser')).to.equal('nonsense');
  });

  it('are typed in the zone that is chosen and kept as instants', () => {
    expect(fromInput('2026-03-29T02:30', 'utc')).to.equal('2026-03-29T02:30:00.000Z');
    expect(toInput('2026-03-29T02:30:00.000Z', 'utc')).to.equal('2026-03-29T02:30');
    expect(toInput('2026-03-29T02:30:05.000Z', 'utc')).to.equal('2026-03-29T02:30:05');
    expect(toInput('2026-03-29T02:30:00.120Z', 'utc')).to.equal('2026-03-29T02:30:00.120');
    expect(fromInput('', 'utc')).to.equal(undefined);
    for (const hour of ['00', '01', '03', '12', '23']) {
      const typed = `2026-10-25T${hour}:30`;
      for (const more of ['', ':07', ':00.004', ':59.999']) {
        expect(toInput(fromInput(typed + more, 'browser'), 'browser')).to.equal(typed + more);
      }
    }
  });
});

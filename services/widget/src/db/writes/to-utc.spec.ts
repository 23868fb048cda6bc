import { parseTimestamp } from '@tributary/contracts/rfc3339';
import { expect } from 'chai';
import { toUtc } from './to-utc.ts';

describe('a time that users are shown', () => {
  const shown = (occurredAt: string) => toUtc(parseTimestamp(occurredAt)!.seconds);

  it('is UTC with milliseconds, whatever the offset and the fraction', () => {
    expect(shown('2026-03-01T01:30:00+02:00')).to.equal('2026-02-28T23:30:00.000Z');
    expect(shown('2026-03-01T12:00:00.123456789z')).to.equal('2026-03-01T12:00:00.123Z');
    expect(shown('1969-12-31T23:59:59.5Z')).to.equal('1969-12-31T23:59:59.500Z');
    expect(shown('2016-12-31T23:59:60Z')).to.equal('2017-01-01T00:00:00.000Z');
  });

  it('stays within the years 0000 to 9999, so that text sorts as time', () => {
    expect(shown('0000-01-01T00:00:00+23:59')).to.equal('0000-01-01T00:00:00.000Z');
    expect(shown('9999-12-31T23:59:59-23:59')).to.equal('9999-12-31T23:59:59.999Z');
  });
});

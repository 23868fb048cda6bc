import { expect } from 'chai';
import fc from 'fast-check';
import { compareDecimal } from './canonical-order.ts';
import { parseTimestamp } from './rfc3339.ts';

const seconds = (text: string) => parseTimestamp(text)?.seconds;

describe('timestamps (interface 2.2, design 8)', () => {
  it('reads what Date prints, to the millisecond', () => {
    const date = fc.date({
      noInvalidDate: true,
      min: new Date('0000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
    });
    fc.assert(
      fc.property(date, (at) => {
        const instant = parseTimestamp(at.toISOString());
        expect(instant?.epochMs).to.equal(at.getTime());
        expect(compareDecimal(instant!.seconds, String(at.getTime() / 1000))).to.equal(0);
      }),
    );
  });

  it('subtracts the offset', () => {
    expect(seconds('1970-01-01T01:00:00+01:00')).to.equal('0');
    expect(seconds('1969-12-31T23:59:00-00:01')).to.equal('0');
    expect(seconds('1970-01-01T00:00:00-00:00')).to.equal('0');
    expect(seconds('1970-01-01t00:00:00z')).to.equal('0');
    expect(seconds('1970-01-01T23:59:00+23:59')).to.equal('0');
  });

  it('keeps every digit of the fraction', () => {
    expect(seconds('1970-01-01T00:00:01.0000000000000000000010Z')).to.equal(
      '1.000000000000000000001',
    );
    expect(seconds('1970-01-01T00:00:01.000Z')).to.equal('1');
    expect(seconds('1969-12-31T23:59:58.25Z')).to.equal('-1.75');
    expect(seconds('1969-12-31T23:59:59.001Z')).to.equal('-0.999');
  });

  it('takes year 0000', () => {
    expect(seconds('0000-01-01T00:00:00Z')).to.equal('-62167219200');
    expect(seconds('0000-01-01T00:00:00+23:59')).to.equal('-62167305540');
    expect(seconds('0000-02-29T00:00:00Z')).to.be.a('string');
  });

  it('takes second 60 only at 23:59:60 UTC', () => {
    expect(seconds('1998-12-31T23:59:60Z')).to.equal(seconds('1999-01-01T00:00:00Z'));
    expect(seconds('1998-12-31T15:59:60.123-08:00')).to.equal('915148800.123');
    expect(seconds('1999-01-01T00:29:60+00:30')).to.be.a('string');
    expect(seconds('1998-12-31T23:58:60Z')).to.equal(undefined);
    expect(seconds('1998-12-31T22:59:60Z')).to.equal(undefined);
    expect(seconds('1998-12-31T23:59:61Z')).to.equal(undefined);
  });

  it('refuses a local time, a space for T, and what the grammar or calendar does not have', () => {
    const refused = [
      '2026-01-31T12:00:00',
      '2026-01-31 12:00:00Z',
      '2026-01-31',
      '2026-02-29T12:00:00Z',
      '1900-02-29T12:00:00Z',
      '2026-00-10T12:00:00Z',
      '2026-13-10T12:00:00Z',
      '2026-04-31T12:00:00Z',
      '2026-01-31T24:00:00Z',
      '2026-01-31T12:60:00Z',
      '2026-01-31T12:00:00+24:00',
      '2026-01-31T12:00:00+01:60',
      '2026-01-31T12:00:00+0100',
      '2026-01-31T12:00:00.Z',
      '2026-01-31T12:00:00,5Z',
      '2026-01-31T12:00Z',
      '12026-01-31T12:00:00Z',
      '2026-01-31T12:00:00Z ',
      '２０２６-01-31T12:00:00Z',
      '',
    ];
    for (const text of refused) expect(seconds(text), text).to.equal(undefined);
  });

  it('reads a fraction of any length in a moment', () => {
    const zeros = '0'.repeat(60_000);
    const before = process.threadCpuUsage();
    expect(seconds(`2026-01-31T12:00:00.${zeros}1Z`)).to.equal(`1769860800.${zeros}1`);
    expect(compareDecimal(`1.${zeros}1`, `1.${zeros}2`)).to.be.lessThan(0);
    expect(process.threadCpuUsage(before).user).to.be.lessThan(200_000);
  });
});

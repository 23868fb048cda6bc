import { expect } from 'chai';
import { skewOfLog } from './clock-check.ts';

const at = new Date('2026-03-01T12:00:00.000Z');
const later = (ms: number) => new Date(at.getTime() + ms);

describe('the skew between the database and the log', () => {
  // Acknowledged at 1,000 of the monotonic clock, after 40 ms.
  const logTime = { at, takenMs: 1_000, looseMs: 40 };
  const asked = { sentMs: 3_000, receivedMs: 3_010 };

  it('is none while the database can be right', () => {
    for (const ms of [2_000, 2_030, 2_050]) {
      expect(skewOfLog(later(ms), asked, logTime), String(ms)).to.equal(0);
    }
  });

  it('is how far the database is ahead, or behind, at least', () => {
    expect(skewOfLog(later(2_051), asked, logTime)).to.equal(1);
    expect(skewOfLog(later(2_050 + 3_600_000), asked, logTime)).to.equal(3_600_000);
    expect(skewOfLog(later(2_000 - 3_600_000), asked, logTime)).to.equal(-3_600_000);
  });

  it('is not known before the first append, nor ten minutes after the last one', () => {
    expect(skewOfLog(at, asked, undefined)).to.equal(undefined);
    const minutes = (count: number) => ({
      sentMs: 1_000 + count * 60_000,
      receivedMs: 1_000 + count * 60_000,
    });
    expect(skewOfLog(later(0), minutes(10), logTime)).to.equal(-600_000);
    expect(skewOfLog(later(0), minutes(10.1), logTime)).to.equal(undefined);
  });
});

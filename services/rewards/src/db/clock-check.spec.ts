import { expect } from 'chai';
import { skewOfLog } from './clock-check.ts';

const at = new Date('2026-03-01T12:00:00.000Z');
const later = (ms: number) => new Date(at.getTime() + ms);

describe('the skew between the database and the log', () => {
  // Acknowledged at 1,000 of the monotonic clock, after 40 ms; the wall clock is an hour ahead.
  const sentAt = later(3_600_000);
  const logTime = { at, sentMs: 960, sentAt, looseMs: 40 };
  /** At this moment of the monotonic clock, with the wall clock gone on by as much, or by more. */
  const answered = (receivedMs: number, wallMoreMs = 0) => ({
    sentMs: receivedMs - 10,
    receivedMs,
    receivedAt: sentAt.getTime() + receivedMs - 960 + wallMoreMs,
  });
  const asked = answered(3_010);

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
    const minutes = (count: number) => answered(960 + count * 60_000);
    expect(skewOfLog(later(10), minutes(10), logTime)).to.equal(-599_940);
    expect(skewOfLog(later(10), minutes(10.1), logTime)).to.equal(undefined);
  });

  it('is not known once the monotonic clock stood still, or the wall clock was set', () => {
    // Paused for an hour: the database's clock went on, and so did the wall clock when it woke.
    expect(skewOfLog(later(3_600_000), answered(3_010, 3_598_000), logTime)).to.equal(undefined);
    expect(skewOfLog(later(2_000), answered(3_010, -3_600_000), logTime)).to.equal(undefined);
    // NTP slews both clocks a little apart; that is no reason to forget what was known.
    expect(skewOfLog(later(2_000), answered(3_010, 4_000), logTime)).to.equal(0);
    expect(skewOfLog(later(2_000), answered(3_010, -4_000), logTime)).to.equal(0);
  });
});

import { expect } from 'chai';
import { isSilent, usualGapMs } from './silence.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const nowMs = Date.UTC(2026, 10, 1);

describe('silence of a connection', () => {
  const everyDay = (count: number) => Array.from({ length: count }, (_, n) => nowMs - n * dayMs);

  it('has a usual gap, the longest of 30 days, from ten events on', () => {
    expect(usualGapMs(everyDay(9), nowMs)).to.equal(null);
    expect(usualGapMs(everyDay(10), nowMs)).to.equal(dayMs);
    expect(usualGapMs([...everyDay(10), nowMs - 12 * dayMs].reverse(), nowMs)).to.equal(3 * dayMs);
  });

  it('does not count what is older than 30 days, or to come', () => {
    expect(usualGapMs([...everyDay(9), nowMs - 30 * dayMs], nowMs)).to.equal(null);
    expect(usualGapMs([...everyDay(9), nowMs + 1], nowMs)).to.equal(null);
  });

  for (const [gapMs, sinceMs, silent] of [
    [dayMs, 2 * dayMs, false],
    [dayMs, 2 * dayMs + 1, true],
    [1_000, hourMs, false],
    [1_000, hourMs + 1, true],
    [null, 300 * dayMs, false],
  ] as const) {
    it(`of ${sinceMs} ms with a usual gap of ${gapMs} ms is ${silent ? '' : 'not '}told`, () => {
      const seen = { lastEventMs: nowMs - sinceMs, usualGapMs: gapMs, nowMs };
      expect(isSilent(seen)).to.equal(silent);
    });
  }

  it('is none before the first event', () => {
    expect(isSilent({ lastEventMs: null, usualGapMs: 1, nowMs })).to.equal(false);
  });
});
